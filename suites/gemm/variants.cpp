// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/variants.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "suites/core/case/named_rows.hpp"

namespace halfmark::suites::gemm {
namespace {

// fp32 scalars that no narrow format holds: 1/3, -0.7, 70000, -70001/1024 and 10^-8.
constexpr formats::Bits kThird = 0x3eaaaaab;
constexpr formats::Bits kMinusSevenTenths = 0xbf333333;
constexpr formats::Bits kSeventyThousand = 0x4788b800;
constexpr formats::Bits kMinus70001Over1024 = 0xc288b880;
constexpr formats::Bits kHundredMillionth = 0x322bcc77;
// Powers of two and a zero, which change no significand.
constexpr formats::Bits kOne = 0x3f800000;
constexpr formats::Bits kEighth = 0x3e000000;
constexpr formats::Bits kMinusZero = 0x80000000;
constexpr formats::Bits kMinusTwo = 0xc0000000;
constexpr formats::Bits kMinusHalf = 0xbf000000;
// fp16 scalars that are not powers of two: 1365/4096 and -717/1024.
constexpr formats::Bits kThirdOfHalf = 0x3eaaa000;
constexpr formats::Bits kMinusSevenTenthsOfHalf = 0xbf334000;

constexpr Variant kVariants[] = {
    {.name = "plain", .help = "D = AB"},
    {.name = "ab",
     .help = "alpha 1/3, beta -0.7",
     .scaled = true,
     .alpha = kThird,
     .beta = kMinusSevenTenths},
    {.name = "abhalf",
     .help = "alpha 1365/4096, beta -717/1024: numbers of fp16",
     .scaled = true,
     .alpha = kThirdOfHalf,
     .beta = kMinusSevenTenthsOfHalf},
    {.name = "abwide",
     .help = "alpha 70000, beta -70001/1024: beyond the range and the precision of a half",
     .scaled = true,
     .alpha = kSeventyThousand,
     .beta = kMinus70001Over1024},
    {.name = "third", .help = "alpha 1/3, beta 0, C full of NaN", .scaled = true, .alpha = kThird},
    {.name = "small",
     .help = "alpha 10^-8, beta 0, C full of NaN",
     .scaled = true,
     .alpha = kHundredMillionth},
    {.name = "eighth",
     .help = "alpha 1/8, beta 0, C full of NaN",
     .scaled = true,
     .alpha = kEighth},
    {.name = "beta0nan", .help = "alpha 1, beta 0, C full of NaN", .scaled = true, .alpha = kOne},
    {.name = "minus0nan",
     .help = "alpha 1, beta -0, C full of NaN",
     .scaled = true,
     .alpha = kOne,
     .beta = kMinusZero},
    {.name = "minus2c",
     .help = "alpha 1, beta -2",
     .scaled = true,
     .alpha = kOne,
     .beta = kMinusTwo},
    {.name = "ac", .help = "alpha 1, beta 1", .scaled = true, .alpha = kOne, .beta = kOne},
    {.name = "batch3", .help = "three products in one launch", .batch = 3},
    {.name = "shared3", .help = "three products, one B for all", .batch = 3, .shared_b = true},
    {.name = "alike8",
     .help = "one product eight times in one call, same bits",
     .batch = 8,
     .shared_b = true,
     .shared_a = true},
    {.name = "batch65537", .help = "65537 products in one launch", .batch = 65537},
    {.name = "ldpad",
     .help = "alpha 1, beta 1; rows of all matrices apart, NaN around those that are read",
     .scaled = true,
     .alpha = kOne,
     .beta = kOne,
     .padded = true},
    {.name = "batch9pad",
     .help = "nine products in one call, alpha 1, beta 1; rows of all matrices apart",
     .scaled = true,
     .alpha = kOne,
     .beta = kOne,
     .batch = 9,
     .padded = true},
    {.name = "base1", .help = "matrices begin one element behind an aligned address", .start = 1},
    {.name = "bias", .help = "a bias for each column", .bias = true},
    {.name = "relu",
     .help = "a bias for each column, then max(0, x)",
     .bias = true,
     .activation = Activation::kRelu},
    {.name = "gelu", .help = "then GELU, by erf", .activation = Activation::kGelu},
    {.name = "gelutanh", .help = "then GELU, by tanh", .activation = Activation::kGeluTanh},
    {.name = "silu", .help = "then x / (1 + exp(-x))", .activation = Activation::kSilu},
    {.name = "biasgelu",
     .help = "a bias for each column, then GELU, by erf",
     .bias = true,
     .activation = Activation::kGelu},
    {.name = "biasgelutanh",
     .help = "a bias for each column, then GELU, by tanh",
     .bias = true,
     .activation = Activation::kGeluTanh},
    {.name = "biassilu",
     .help = "a bias for each column, then x / (1 + exp(-x))",
     .bias = true,
     .activation = Activation::kSilu},
    {.name = "batch3minus",
     .help = "three products in one call, alpha -1/2, beta 0, C full of NaN",
     .scaled = true,
     .alpha = kMinusHalf,
     .batch = 3},
    {.name = "byrows", .help = "in calls of 1, 2, 3, ... rows", .pieces = Pieces::kRows},
    {.name = "bycolumns", .help = "in calls of 1, 2, 3, ... columns", .pieces = Pieces::kColumns},
    {.name = "fara",
     .help = "rows of A 2^29 elements apart: offsets pass 2^31 elements and 2^32 bytes",
     .far = "a"},
    {.name = "farb", .help = "the same of B", .far = "b"},
    {.name = "fard", .help = "the same of D", .far = "d"},
    {.name = "again200", .help = "the same call 200 times more, same bits", .repeats = 200},
    {.name = "again2000", .help = "the same call 2000 times more, same bits", .repeats = 2000},
    {.name = "queue8",
     .help = "the same call 8 times more on another queue, same bits",
     .repeats = 8,
     .concurrency = Concurrency::kOtherQueue},
    {.name = "beside200",
     .help = "the same call 200 times more while another queue computes other products, same bits",
     .repeats = 200,
     .concurrency = Concurrency::kBusy},
};

}  // namespace

std::vector<std::string_view> variant_names() {
  const auto names = names_of(kVariants);
  return {names.begin(), names.end()};
}

const Variant& find_variant(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return variant;
  }
  throw std::logic_error(fmt::format("gemm has no variant '{}'", name));
}

}  // namespace halfmark::suites::gemm
