// SPDX-License-Identifier: Apache-2.0
#include "suites/cross_entropy/suite.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/cross_entropy/mistakes.hpp"
#include "suites/cross_entropy/model.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

// Used both as a step's option and as a case's token, in the order of the enumeration.
constexpr std::string_view kReductions[] = {"none", "mean", "sum"};

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  if (b.portable) return specified_plan(c, device);
  Plan made;
  OperatorStep* step = add_operator(made, device, c.word("provider"),
                                    b.backward ? "cross_entropy_backward" : "cross_entropy");
  if (step == nullptr) return made;
  step->options = {{"reduction", std::string(c.word("reduction"))},
                   {"ignore_index", std::to_string(b.ignored())}};
  if (b.fill == "beyond") step->options.emplace_back("out_of_range", "nan");
  const auto add = [&](const char* name, const formats::Format& format, std::size_t count,
                       Role role, const TensorSlice& slice) {
    made.tensors.push_back({.name = name, .format = &format, .count = count, .role = role});
    step->tensors.push_back(slice);
  };
  add("x", *b.format, b.count(), Role::kInput, dense("x", {b.rows, b.width}));
  add("target", b.label_words(), b.rows, Role::kInput, dense("target", {b.rows}));
  step->tensors.back().format = c.word("labels");
  if (b.backward) {
    add("dy", formats::kFp32, b.rows, Role::kInput, dense("dy", {b.losses()}));
    add("dx", *b.output, b.count(), Role::kOutput, dense("dx", {b.rows, b.width}));
  } else {
    add("y", *b.output, b.losses(), Role::kOutput, dense("y", {b.losses()}));
  }
  return made;
}

Expectation expect(const Case& c, const Binding& b, const TensorSet& inputs,
                   const models::Machine& machine) {
  if (b.portable) return specified(c, inputs, machine);
  if (!b.unique()) return evaluate_model(c, inputs, {});
  // Zeros of either sign are allowed, which a comparison of bits would distinguish.
  const TensorSet only = specified(c, inputs, {});
  return {only, Enclosure{.low = only, .high = only}};
}

bool holds_integers(const Case&, std::string_view tensor) { return tensor == "target"; }

std::vector<Operand> operands(const Binding& b, const TensorSet& inputs, std::string_view tensor,
                              std::size_t index) {
  if (tensor == "y" && b.reduction != Reduction::kNone) return {};
  const std::size_t row = tensor == "dx" ? index / b.width : index;
  std::vector<Operand> list;
  if (tensor == "dx") {
    list.push_back({.label = fmt::format("x[{},{}]", row, index % b.width),
                    .format = b.format,
                    .bits = inputs.at("x").at(index)});
  }
  list.push_back({.label = fmt::format("target[{}]", row),
                  .format = nullptr,
                  .bits = inputs.at("target").at(row) & 0xffffffffU});
  return list;
}

Extent extent(const Binding& b, std::string_view tensor) {
  if (tensor == "dx") return {.rows = b.rows, .columns = b.width};
  return {.rows = 1, .columns = b.losses()};
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("operation", "the loss, or its gradient for the logits",
                    {"forward", "backward"}),
      axis_of_words("format", "format of the logits", {"fp16", "bf16", "fp32"}),
      output_axis(),
      axis_of_words("labels", "of each row", {"int32", "int64"}),
      axis_of_words("reduction", "a loss for each row, or their mean or sum",
                    {std::begin(kReductions), std::end(kReductions)}),
      provider_axis(),
      shape_axis("r rows of n classes", "rn"),
      fill_axis(fill_names()),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const auto* reduction =
      std::find(std::begin(kReductions), std::end(kReductions), c.word("reduction"));
  const Binding b{.backward = c.word("operation") == "backward",
                  .portable = c.word("provider") == kPortable,
                  .format = formats::find_format(c.word("format")),
                  .output = formats::find_format(c.word("output").substr(4)),
                  .wide_labels = c.word("labels") == "int64",
                  .reduction = static_cast<Reduction>(reduction - std::begin(kReductions)),
                  .rows = static_cast<std::size_t>(c.number("shape", 'r')),
                  .width = static_cast<std::size_t>(c.number("shape", 'n')),
                  .fill = c.word("fill")};
  if (b.rows == 0 || b.width == 0 || b.rows > kMostElements || b.width > kMostElements / b.rows) {
    throw UsageError(
        fmt::format("case '{}': rows and classes must be at least 1, and 2^28 in all", print(c)));
  }
  // The kernel counts rows in fp32.
  constexpr std::size_t kMostCounted = std::size_t{1} << 24;
  if (b.reduction == Reduction::kMean && b.rows > kMostCounted)
    throw UsageError(fmt::format("case '{}': a mean has 2^24 rows at most", print(c)));
  if (b.fill == "related" && !b.backward)
    throw UsageError(fmt::format("case '{}': the relation is one of gradients", print(c)));
  return b;
}

namespace {

class CrossEntropyProblem final : public Problem {
 public:
  explicit CrossEntropyProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return cross_entropy::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return cross_entropy::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return cross_entropy::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return cross_entropy::expect(c(), b_, inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return cross_entropy::mistakes(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return cross_entropy::operands(b_, inputs, tensor, index);
  }
  bool holds_integers(std::string_view tensor) const override {
    return cross_entropy::holds_integers(c(), tensor);
  }
  bool follows_machine() const override { return b_.portable; }
  Extent extent(std::string_view tensor) const override {
    return cross_entropy::extent(b_, tensor);
  }
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
  std::optional<Relation> relation() const override { return cross_entropy::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "cross_entropy",
                            .summary =
                                "cross-entropy of logits with class indices, and its "
                                "gradient",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .bind = bind_as<CrossEntropyProblem>,
                            .not_asserted = not_asserted(),
                            .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::cross_entropy
