// SPDX-License-Identifier: Apache-2.0
// What the contract promises for layer normalisation.
#include <array>
#include <bit>

#include "suites/core/identify/recipe.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {
namespace {

constexpr std::string_view kSpecification =
    "Halfmark kernel specification, reference/operators/layernorm.hpp: order, fused steps and "
    "roundings of every operation; IEEE 754-2019, 5.4.1 and 4.3.1 for each of them";

constexpr std::array kRows{
    ContractRow{
        .id = "layernorm.constant.exact",
        .tier = Tier::kExact,
        .promise = "a row of one small integer gives beta, that integer as its mean, and "
                   "1/sqrt(eps) rounded after each of the two operations",
        .source = "The exact value, since every sum is representable; IEEE 754-2019, 5.4.1"},
    ContractRow{
        .id = "layernorm.signs.exact",
        .tier = Tier::kExact,
        .promise = "gradients of patterns of +1 and -1 are the exact values, rounded once",
        .source = "The exact value, since every sum is representable; IEEE 754-2019, 5.4.1"},
    ContractRow{
        .id = "layernorm.forward.specified",
        .tier = Tier::kSpecified,
        .promise = "every output and every statistic has the bits of the specified sequence",
        .source = kSpecification,
        .freedoms = kFp32Freedoms},
    ContractRow{.id = "layernorm.backward.specified",
                .tier = Tier::kSpecified,
                .promise = "every gradient has the bits of the specified sequence",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "layernorm.rms.specified",
                .tier = Tier::kSpecified,
                .promise = "of root mean square normalisation every output, every statistic and "
                           "every gradient has the bits of the specified sequence",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "layernorm.zeros.exact",
                .tier = Tier::kExact,
                .promise = "rows of zeros give beta, in a 16-bit format, and the mean 0; rstd is "
                           "held to the row layernorm.library.bound",
                .source = "The value is unique: every sum and every product with x - mean is 0; "
                          "IEEE 754-2019, 5.4.1",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "layernorm.flip.exact",
                .tier = Tier::kExact,
                .promise = "rows of 2^13 and -2^13 in equal numbers give gamma and -gamma, powers "
                           "of two, in a 16-bit format; statistics are held to the row "
                           "layernorm.library.bound",
                .source = "That bound leaves one number there",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "layernorm.weights.exact",
                .tier = Tier::kExact,
                .promise = "dgamma and dbeta of patterns of +1 and -1, with the statistics 0 and "
                           "1, are whole numbers, rounded once; dx is held to the row "
                           "layernorm.library.bound",
                .source = "The value is unique: every partial sum is representable in fp32, in "
                          "any order; IEEE 754-2019, 5.4.1",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "layernorm.library.bound",
                .tier = Tier::kBounded,
                .promise = "every output is what fp32 arithmetic in some order, with statistics by "
                           "two passes or by running updates and rsqrt within 2 ulp, rounds to",
                .source = "Chan, Golub, LeVeque, Algorithms for computing the sample variance, The "
                          "American Statistician 37 (1983); Higham, Accuracy and Stability of "
                          "Numerical Algorithms, 1.9 and 4.2; suites/layernorm/model.hpp",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "layernorm.related",
                .tier = Tier::kExact,
                .promise = "-x and -beta give -y, the negative mean and the same rstd, and -dy the "
                           "negative gradients, bit for bit; of the first, the case's other row "
                           "holds",
                .source = "IEEE 754-2019, 4.3.1: rounding to nearest is symmetric, and every step "
                          "from x to y is odd or even, in whatever order"},
    ContractRow{.id = "layernorm.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("layernorm.modelled"); }

bool weights_are_exact(const Binding& b) {
  return b.backward && (b.fill == "signs" || b.fill == "alike") && b.rows <= (std::size_t{1} << 24);
}

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (!b.portable) {
    const bool narrow = b.format->bits == 16;
    if (b.fill == "zeros" && b.centered && narrow) return row("layernorm.zeros.exact");
    const bool even = b.width % 2 == 0 && b.width <= 1024;
    if (b.fill == "flip" && even && narrow) return row("layernorm.flip.exact");
    if (weights_are_exact(b)) return row("layernorm.weights.exact");
    return row("layernorm.library.bound");
  }
  // Beyond these sizes the sums may round, and only the specified sequence can be asserted.
  const bool sums_exact = b.rows <= (std::size_t{1} << 16) && b.width <= (std::size_t{1} << 16);
  if (b.fill == "constant" && b.centered && sums_exact) return row("layernorm.constant.exact");
  if (b.fill == "signs" && sums_exact && std::has_single_bit(b.width) && b.width <= 1024) {
    return row("layernorm.signs.exact");
  }
  if (!b.centered) return row("layernorm.rms.specified");
  return b.backward ? row("layernorm.backward.specified") : row("layernorm.forward.specified");
}

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  const auto negated = [](const char* name) { return Image{.tensor = name, .negated = true}; };
  if (b.backward) {
    return Relation{.row = &row("layernorm.related"),
                    .first = "minus the gradient with dy",
                    .second = "the gradient with -dy",
                    .operands = {negated("dy")},
                    .results = {negated("dx"), negated("dgamma"), negated("dbeta")}};
  }
  return Relation{.row = &row("layernorm.related"),
                  .first = "minus the normalised x",
                  .second = b.centered ? "the normalised -x with -beta" : "the normalised -x",
                  .operands = {negated("x"), negated("beta")},
                  .results = {negated("y"), negated("mean")}};
}

}  // namespace halfmark::suites::layernorm
