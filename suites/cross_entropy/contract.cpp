// SPDX-License-Identifier: Apache-2.0
// What the contract promises for cross-entropy.
#include <array>

#include "suites/core/identify/recipe.hpp"
#include "suites/cross_entropy/binding.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

constexpr std::array kRows{
    ContractRow{.id = "cross-entropy.dominant.exact",
                .tier = Tier::kExact,
                .promise = "where one exponential is the whole sum, losses are differences of "
                           "logits; of the specified kernel, means and gradients are exact too",
                .source = "The exact value, which every step of the formula represents: exp(0) = "
                          "1, log(1) = 0; IEEE 754-2019, 5.4.1 and 9.2.1"},
    ContractRow{.id = "cross-entropy.specified",
                .tier = Tier::kSpecified,
                .promise = "every loss and every gradient has the bits of the specified sequence",
                .source = "Halfmark kernel specification, reference/operators/cross_entropy.hpp; "
                          "IEEE 754-2019, 5.4.1 and 4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "cross-entropy.bound",
                .tier = Tier::kBounded,
                .promise = "the loss is what fp32 arithmetic in some order, with exp and log "
                           "within 2 ulp, rounds to; rows with the ignored label do not count; a "
                           "row that is all -inf, holds +inf or a NaN, or, where the call asks for "
                           "it, has a label beyond the classes, is NaN; no row counts: NaN",
                .source = "Blanchard, Higham, Higham, Accurately computing the log-sum-exp and "
                          "softmax functions, IMA J. Numer. Anal. 41 (2021); PyTorch 2.x, "
                          "torch.nn.CrossEntropyLoss: ignore_index, reduction; TensorFlow 2.x, "
                          "sparse_softmax_cross_entropy_with_logits: labels outside give NaN",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "cross-entropy.backward.bound",
                .tier = Tier::kBounded,
                .promise = "(softmax - [label]) * dy, divided by the number of rows that count for "
                           "a mean, in fp32 and in some order, rounded once; 0 where the label is "
                           "the ignored one",
                .source = "The same; suites/cross_entropy/model.hpp",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "cross-entropy.backward.related",
                .tier = Tier::kExact,
                .promise = "with dy times a power of two, or with another sign, the gradient is "
                           "that of dy times the same, bit for bit; of the first, the case's "
                           "other row holds",
                .source = "The gradient is linear in dy; IEEE 754-2019, 4.3.1: rounding to nearest "
                          "is symmetric, and relative where nothing is subnormal (Higham, Accuracy "
                          "and Stability of Numerical Algorithms, 2nd edition, 2.1)"},
    ContractRow{.id = "cross-entropy.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

constexpr std::array kNotAsserted{
    NotAssertedRow{.subject = "cross-entropy of labels beyond the classes, unasked",
                   .reason = "no library says what it gives; the fill `beyond` asks for NaN"},
    NotAssertedRow{.subject = "gradients of ignored rows that hold a NaN or an infinity",
                   .reason = "formulas in use multiply by zero there"},
    NotAssertedRow{.subject = "class weights and label smoothing of cross-entropy",
                   .reason = "not tested yet"},
};

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("cross-entropy.modelled"); }
std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  // A 16-bit result may be subnormal.
  const bool scales = *b.output == formats::kFp32;
  const int exponent = scales ? 3 : 0;
  return Relation{.row = &row("cross-entropy.backward.related"),
                  .first = scales ? "-8 times the gradient with dy" : "minus the gradient with dy",
                  .second = scales ? "the gradient with -8 dy" : "the gradient with -dy",
                  .operands = {{.tensor = "dy", .exponent = exponent, .negated = true}},
                  .results = {{.tensor = "dx", .exponent = exponent, .negated = true}}};
}

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.unique()) return row("cross-entropy.dominant.exact");
  if (b.portable) return row("cross-entropy.specified");
  return b.backward ? row("cross-entropy.backward.bound") : row("cross-entropy.bound");
}

}  // namespace halfmark::suites::cross_entropy
