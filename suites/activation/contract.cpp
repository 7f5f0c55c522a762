// SPDX-License-Identifier: Apache-2.0
// What the contract promises for activations.
#include <array>
#include <optional>

#include "suites/activation/elements.hpp"
#include "suites/core/identify/recipe.hpp"

namespace halfmark::suites::activation {
namespace {

using formats::Bits;
using models::Machine;

// No library need say what its maximum, or the clamping inside of its tanh, does to a NaN.
constexpr Freedom kLimitFreedoms[] = {{"nan_operands", "operators.nan"}};

// Nor how it loads: conversions are operations there, too.
constexpr Freedom kSelectFreedoms[] = {
    kSelectionFreedoms[0], kSelectionFreedoms[1], {"conversion_subnormals", "fp32.subnormals"}};

constexpr std::array kRows{
    ContractRow{.id = "activation.specified",
                .tier = Tier::kSpecified,
                .promise = "every output has the bits of the specified sequence",
                .source = "Halfmark kernel specification, kernels/activation.hk and "
                          "reference/operators/elementary.hpp; IEEE 754-2019, 5.4.1 and 4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "activation.select.exact",
                .tier = Tier::kExact,
                .promise = "ReLU and the greater of two give one of their operands (or zero), NaN "
                           "where an operand is NaN; zeros of either sign are equal",
                .source = "The value is unique; IEEE 754-2019, 9.6 maximum",
                .freedoms = kSelectFreedoms},
    ContractRow{.id = "activation.gelu.bound",
                .tier = Tier::kBounded,
                .promise = "an fp32 evaluation of the formula, erf, tanh and exp within 2 ulp, and "
                           "one rounding to the format of the result",
                .source = "A-priori bound derived in suites/core/bounds/gelu.cpp; Hendrycks and "
                          "Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "activation.gelu.limits.exact",
                .tier = Tier::kExact,
                .promise = "GELU of a 16-bit x is x from 16 on and zero up to -16, of a zero zero, "
                           "of +infinity +infinity, of a NaN a NaN",
                .source = "The bound of activation.gelu.bound leaves one number there; IEEE "
                          "754-2019, 4.3.1 and 6.2",
                .freedoms = kLimitFreedoms},
    ContractRow{.id = "activation.gelu-backward.related",
                .tier = Tier::kExact,
                .promise = "with -dy GELU's gradient has the other sign, bit for bit; of the "
                           "first, the case's other row holds",
                .source = "The gradient is linear in dy; IEEE 754-2019, 4.3.1: rounding to nearest "
                          "is symmetric"},
    ContractRow{.id = "activation.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

constexpr NotAssertedRow kNotAsserted[] = {
    {"GELU of -infinity, and its gradient at the infinities",
     "the formulas in use give NaN (infinity times zero) where the limit is zero or one; so they "
     "do "
     "in gradients for sizes whose cube overflows"},
    {"the gradient of ReLU at a NaN", "frameworks differ: the upstream gradient, zero or NaN"},
};

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("activation.modelled"); }
std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.portable) return row("activation.specified");
  if (b.fill == "limits") return row("activation.gelu.limits.exact");
  return b.bounded() ? row("activation.gelu.bound") : row("activation.select.exact");
}

std::optional<Relation> relation(const Case& c) {
  if (bind(c).fill != "related") return std::nullopt;
  return Relation{.row = &row("activation.gelu-backward.related"),
                  .first = "minus the gradient with dy",
                  .second = "the gradient with -dy",
                  .operands = {{.tensor = "dy", .negated = true}},
                  .results = {{.tensor = "dx", .negated = true}}};
}

TensorSet refer(const Case& c, const TensorSet& inputs, const Machine& machine) {
  const Binding b = bind(c);
  if (b.bounded()) return middles(intervals(b, inputs, {}));
  return each(b, inputs, [&](Bits x, Bits second) { return selected(b, machine, x, second); });
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  const Binding b = bind(c);
  if (b.portable) return std::nullopt;
  if (b.bounded()) return intervals(b, inputs, {});
  const TensorSet only = refer(c, inputs, {});
  return Enclosure{only, only};
}

}  // namespace halfmark::suites::activation
