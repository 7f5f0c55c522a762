// SPDX-License-Identifier: Apache-2.0
// What the contract promises for conversions.
#include <array>

#include "suites/convert/binding.hpp"
#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::convert {
namespace {

constexpr std::string_view kIeee =
    "IEEE 754-2019, 5.4.2 convertFormat and 4.3.1 roundTiesToEven; 5.4.1 convertFromInt";
constexpr std::string_view kOcp =
    "OCP 8-bit Floating Point Specification (OFP8), revision 1.0, 5.2: rounding once, and overflow "
    "as the case's policy says";

constexpr std::string_view kRoundedOnce =
    "every element is rounded once to nearest even, subnormals and signs of zeros kept; NaN stays "
    "NaN, infinity infinity";
constexpr std::string_view kNarrowRoundedOnce =
    "every element is rounded once to nearest even, subnormals kept; beyond the range lies "
    "infinity (NaN in e4m3fn), or the largest number if the case asks to saturate";

constexpr Freedom kLibraryFreedoms[] = {{"operation_subnormals", "fp32.subnormals"},
                                        {"conversion_subnormals", "fp32.subnormals"},
                                        {"signed_zero", "fp32.signed_zero"},
                                        {"faithful_rounding", "convert.correctly_rounded"}};

// Loads and stores of kernels have no freedom; a library's conversion is an operation.
constexpr std::array kRows{
    ContractRow{
        .id = "convert.ieee", .tier = Tier::kExact, .promise = kRoundedOnce, .source = kIeee},
    ContractRow{
        .id = "convert.fp8", .tier = Tier::kExact, .promise = kNarrowRoundedOnce, .source = kOcp},
    ContractRow{.id = "convert.library.ieee",
                .tier = Tier::kExact,
                .promise = kRoundedOnce,
                .source = kIeee,
                .freedoms = kLibraryFreedoms},
    ContractRow{.id = "convert.library.fp8",
                .tier = Tier::kExact,
                .promise = kNarrowRoundedOnce,
                .source = kOcp,
                .freedoms = kLibraryFreedoms},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  const bool narrow = b.to->bits == 8 || b.stored().bits == 8;
  if (c.word("provider") == kPortable) return narrow ? row("convert.fp8") : row("convert.ieee");
  return narrow ? row("convert.library.fp8") : row("convert.library.ieee");
}

}  // namespace halfmark::suites::convert
