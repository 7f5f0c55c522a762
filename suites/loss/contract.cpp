// SPDX-License-Identifier: Apache-2.0
// What the contract promises for losses.
#include <array>

#include "suites/core/identify/recipe.hpp"
#include "suites/loss/binding.hpp"

namespace halfmark::suites::loss {
namespace {

using formats::kFp32;

constexpr std::string_view kSymmetric =
    "IEEE 754-2019, 4.3.1: rounding to nearest is symmetric, so b - a is -(a - b), and relative "
    "where nothing is subnormal; Higham, Accuracy and Stability of Numerical Algorithms, 2nd "
    "edition, 2.1";

// A product has no digits that a library could lose, but its operand is loaded.
constexpr Freedom kScaleFreedoms[] = {{"operation_subnormals", "fp32.subnormals"},
                                      {"conversion_subnormals", "fp32.subnormals"},
                                      {"signed_zero", "fp32.signed_zero"}};

constexpr std::array kRows{
    ContractRow{.id = "loss.specified",
                .tier = Tier::kSpecified,
                .promise = "every result has the bits of the specified sequence",
                .source =
                    "Halfmark kernel specification, kernels/loss.hk; IEEE 754-2019, 5.4.1 and "
                    "4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "loss.scale.exact",
                .tier = Tier::kExact,
                .promise = "loss times scale is one product in fp32, rounded once",
                .source = "IEEE 754-2019, 5.4.1 multiplication",
                .freedoms = kScaleFreedoms},
    ContractRow{.id = "loss.mse.bound",
                .tier = Tier::kBounded,
                .promise = "the mean of squared differences in fp32, summed in any order, and one "
                           "rounding to the format of the result",
                .source = "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, "
                          "4.2: terms of one sign, so (n + 4) u relative, u = 2^-24",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "loss.mse-backward.bound",
                .tier = Tier::kBounded,
                .promise = "2/N * (x - x2) * dy in fp32, in any order, and one rounding to the "
                           "format of the result",
                .source = "Four roundings: 4u relative, u = 2^-24; IEEE 754-2019, 5.4.1",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "loss.mse.related",
                .tier = Tier::kExact,
                .promise = "operands that change places, both times a power of two, give the "
                           "square of that power times as much, bit for bit; of the first, the "
                           "case's other row holds",
                .source = kSymmetric},
    ContractRow{.id = "loss.mse-backward.related",
                .tier = Tier::kExact,
                .promise = "operands that change places give minus the gradient, and with dy times "
                           "a power of two that power times as much, bit for bit; of the first, "
                           "the case's other row holds",
                .source = kSymmetric},
    ContractRow{.id = "loss.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("loss.modelled"); }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.portable) return row("loss.specified");
  if (b.operation == Operation::kScale) return row("loss.scale.exact");
  return b.operation == Operation::kMse ? row("loss.mse.bound") : row("loss.mse-backward.bound");
}

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  // A 16-bit result may be subnormal.
  const bool scales = *b.output == kFp32;
  const int exponent = scales ? -3 : 0;
  if (b.operation == Operation::kMse) {
    return Relation{.row = &row("loss.mse.related"),
                    .first = scales ? "mse(x, x2) / 64" : "mse(x, x2)",
                    .second = scales ? "mse(x2 / 8, x / 8)" : "mse(x2, x)",
                    .operands = {{.tensor = "x", .source = "x2", .exponent = exponent},
                                 {.tensor = "x2", .source = "x", .exponent = exponent}},
                    .results = {{.tensor = "y", .exponent = 2 * exponent}}};
  }
  return Relation{
      .row = &row("loss.mse-backward.related"),
      .first = scales ? "minus the gradient of mse(x, x2) with dy, over 8,"
                      : "minus the gradient of mse(x, x2)",
      .second = scales ? "the gradient of mse(x2, x) with dy / 8" : "the gradient of mse(x2, x)",
      .operands = {{.tensor = "x", .source = "x2"},
                   {.tensor = "x2", .source = "x"},
                   {.tensor = "dy", .exponent = exponent}},
      .results = {{.tensor = "dx", .exponent = exponent, .negated = true}}};
}

}  // namespace halfmark::suites::loss
