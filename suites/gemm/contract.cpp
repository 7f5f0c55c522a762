// SPDX-License-Identifier: Apache-2.0
// What gemm asserts, and who promises it. A case on data whose partial sums are all representable
// asserts the unique result; every other case asserts the evaluation written in
// reference/operators/gemm.hpp.
//
// With fp16 operands and an fp32 accumulator the freedom to flush cannot be taken: products are
// multiples of 2^-48, so the sum never meets an fp32 subnormal.
#include <stdexcept>

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::string_view kUnique =
    "IEEE 754-2019, 5.4.1 and 4.3.1: each operation returns the exact result whenever it is "
    "representable";
constexpr std::string_view kSpecification =
    "Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, "
    "5.4.1 fusedMultiplyAdd "
    "and convertFormat, roundTiesToEven";
constexpr std::string_view kHalfStorage =
    "Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, "
    "5.4.1; OpenCL C 1.2, "
    "6.1.1.1: conversions of half are exact to float and correctly rounded from it";

constexpr ContractRow row(std::string_view id, Tier tier, std::string_view promise,
                          std::string_view source,
                          std::span<const Freedom> freedoms = kFp32Freedoms) {
  return {.id = id,
          .tier = tier,
          .promise = promise,
          .source = source,
          .freedoms = freedoms,
          .bound_ulps = 0};
}

constexpr ContractRow kRows[] = {
    row("gemm.exact.representable", Tier::kExact,
        "every partial sum is representable, so D is the exact result, stored with one rounding, "
        "in any order",
        kUnique),
    row("gemm.exact.permutation.acc-fp32.fp16", Tier::kExact,
        "each output is one element of A, stored with one rounding", kUnique),
    row("gemm.exact.permutation.acc-fp32.bf16", Tier::kExact,
        "each output is one element of A, stored with one rounding", kUnique),
    row("gemm.exact.permutation.acc-fp32.fp32", Tier::kExact,
        "each output is one element of A, stored with one rounding", kUnique),
    row("gemm.exact.permutation.acc-fp16.fp16", Tier::kExact,
        "each output is one element of A, stored with one rounding", kUnique, kFp16Freedoms),
    row("gemm.specified.acc-fp32.fp16", Tier::kSpecified,
        "fp16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kHalfStorage),
    row("gemm.specified.acc-fp32.bf16", Tier::kSpecified,
        "bf16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification),
    row("gemm.specified.acc-fp32.fp32", Tier::kSpecified,
        "fp32 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification),
    row("gemm.specified.acc-fp16.fp16", Tier::kSpecified,
        "fp16 operands, one fp16 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification, kFp16Freedoms),
};

const ContractRow& find(std::string_view kind, const Binding& bound) {
  for (const ContractRow& candidate : kRows) {
    const std::string id = std::string(kind) + ".acc-" + std::string(bound.accumulator->name) +
                           "." + std::string(bound.operands->name);
    if (candidate.id == kind || candidate.id == id) return candidate;
  }
  throw std::logic_error("gemm has no contract row for a case");
}

// Scaling by one, and adding C times one, keep what is exact exact; other scalars round.
bool scales_exactly(const Variant& variant) {
  constexpr formats::Bits kOne = 0x3f800000;
  return !variant.scaled || (variant.alpha == kOne && (variant.beta == 0 || variant.beta == kOne));
}

// Whether integers up to `size` in units of the last place fit the accumulator.
bool holds(const Binding& bound, std::uint64_t size) {
  return size <= std::uint64_t{1} << bound.accumulator->precision();
}

bool partial_sums_are_representable(const Binding& bound) {
  const std::uint64_t k = bound.problem.k;
  if (bound.fill == "integer") return holds(bound, 16 * k + 4);
  if (bound.fill == "ones") return holds(bound, 4 * k + 4);
  // Terms of at most 2 in units of 2^-12; see inputs.cpp.
  if (bound.fill == "splitk") return holds(bound, k << 12) && bound.operands->precision() >= 11;
  // v, a last place and nearly half a last place, rounded only when D is narrower than the
  // accumulator.
  return bound.fill == "ties" && bound.output->precision() < bound.accumulator->precision();
}

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding bound = bind(c);
  if (scales_exactly(*bound.variant)) {
    const bool adds_c = bound.variant->beta != 0;
    const bool c_is_whole = bound.fill == "integer" || bound.fill == "ones";
    if ((!adds_c || c_is_whole) && partial_sums_are_representable(bound))
      return find("gemm.exact.representable", bound);
    if (!adds_c && bound.fill == "permutation") return find("gemm.exact.permutation", bound);
  }
  return find("gemm.specified", bound);
}

}  // namespace halfmark::suites::gemm
