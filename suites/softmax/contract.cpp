// SPDX-License-Identifier: Apache-2.0
// What the contract promises for softmax.
#include <fmt/format.h>

#include <array>

#include "suites/core/identify/recipe.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/hidden.hpp"

namespace halfmark::suites::softmax {
namespace {

constexpr std::string_view kSpecification =
    "Halfmark kernel specification, reference/operators/softmax.hpp: order, fused steps and "
    "roundings of every operation; IEEE 754-2019, 5.4.1 and 4.3.1 for each of them";

constexpr std::string_view kOneNumber =
    "The exact value, the one number that the row softmax.library.bound leaves in 16-bit formats";
constexpr std::string_view kEqual =
    "2^j equal logits among logits of -inf give 2^-j each, and the others 0";

constexpr std::array kRows{
    ContractRow{.id = "softmax.equal.exact",
                .tier = Tier::kExact,
                .promise = kEqual,
                .source = "The exact value, which every step of the specification represents; "
                          "IEEE 754-2019, 5.4.1"},
    ContractRow{.id = "softmax.forward.specified",
                .tier = Tier::kSpecified,
                .promise = "every output has the bits of the specified sequence; a row that is all "
                           "-inf, or holds +inf or a NaN, is NaN",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "softmax.log-forward.specified",
                .tier = Tier::kSpecified,
                .promise = "every output has the bits of the specified sequence; a row that is all "
                           "-inf, or holds +inf or a NaN, is NaN",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "softmax.backward.specified",
                .tier = Tier::kSpecified,
                .promise = "every gradient has the bits of the specified sequence",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "softmax.dominant.exact",
                .tier = Tier::kExact,
                .promise = "one logit 128 or more above all others gives 1, and the others 0; "
                           "log-softmax gives the differences",
                .source = "The exact value: exp(0) = 1, log(1) = 0, exp(-128) is below every "
                          "fp32 number"},
    ContractRow{.id = "softmax.library.equal.exact",
                .tier = Tier::kExact,
                .promise = kEqual,
                .source = kOneNumber,
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "softmax.library.dominant.exact",
                .tier = Tier::kExact,
                .promise = "one logit 128 or more above all others gives 1, and the others 0",
                .source = kOneNumber,
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "softmax.library.bound",
                .tier = Tier::kBounded,
                .promise = "every output is what fp32 arithmetic in some order, with exp and log "
                           "within 2 ulp, rounds to; a row that is all -inf is NaN, or 0 where the "
                           "call asks for it; a row that holds +inf or a NaN is NaN",
                .source = "Blanchard, Higham, Higham, Accurately computing the log-sum-exp and "
                          "softmax functions, IMA J. Numer. Anal. 41 (2021); Higham, Accuracy and "
                          "Stability of Numerical Algorithms, 4.2; suites/softmax/model.hpp",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "softmax.hidden.specified",
                .tier = Tier::kSpecified,
                .promise = "a logit whose word of the boolean mask is 0 counts as -inf, whatever "
                           "it is; every output then has the bits of the specified sequence; a "
                           "row that is masked altogether is NaN",
                .source = kSpecification,
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "softmax.backward.related",
                .tier = Tier::kExact,
                .promise = "with dy times a power of two, or with another sign, the gradient is "
                           "that of dy times the same, bit for bit; of the first, the case's "
                           "other row holds",
                .source = "The gradient is linear in dy; IEEE 754-2019, 4.3.1: rounding to nearest "
                          "is symmetric, and relative where nothing is subnormal (Higham, Accuracy "
                          "and Stability of Numerical Algorithms, 2nd edition, 2.1)"},
    ContractRow{.id = "softmax.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("softmax.modelled"); }

namespace {

// In fp32 they may be off by an ulp.
const ContractRow& row_of_library(const Binding& b) {
  const bool forward = b.operation == Operation::kForward;
  if (b.output->bits == 16 && forward) {
    if (b.fill == "dominant") return row("softmax.library.dominant.exact");
    if (b.fill == "equal" && b.width <= 1024) return row("softmax.library.equal.exact");
  }
  return row("softmax.library.bound");
}

}  // namespace

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (!b.portable) return row_of_library(b);
  if (b.fill == "dominant") return row("softmax.dominant.exact");
  if (b.fill == "equal" && b.operation == Operation::kForward) return row("softmax.equal.exact");
  if (hides(b)) return row("softmax.hidden.specified");
  switch (b.operation) {
    case Operation::kForward:
      return row("softmax.forward.specified");
    case Operation::kLogForward:
      return row("softmax.log-forward.specified");
    case Operation::kBackward:
    case Operation::kLogBackward:
      return row("softmax.backward.specified");
  }
  return row("softmax.forward.specified");
}

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  // A 16-bit result may be subnormal.
  const bool scales = *b.output == formats::kFp32;
  const int exponent = scales ? 3 : 0;
  return Relation{.row = &row("softmax.backward.related"),
                  .first = scales ? "-8 times the gradient with dy" : "minus the gradient with dy",
                  .second = scales ? "the gradient with -8 dy" : "the gradient with -dy",
                  .operands = {{.tensor = "dy", .exponent = exponent, .negated = true}},
                  .results = {{.tensor = "dx", .exponent = exponent, .negated = true}}};
}

}  // namespace halfmark::suites::softmax
