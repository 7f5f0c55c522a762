// SPDX-License-Identifier: Apache-2.0
#include "suites/softmax/suite.hpp"

#include <fmt/format.h>

#include "reference/fast/softmax.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/layout.hpp"
#include "suites/softmax/mistakes.hpp"
#include "suites/softmax/model.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Format;

struct OperationRow {
  std::string_view name, entry, reported;
  Operation operation;
};

constexpr OperationRow kOperations[] = {
    {"forward", "softmax_forward", "softmax", Operation::kForward},
    {"log-forward", "softmax_log_forward", "log_softmax", Operation::kLogForward},
    {"backward", "softmax_backward", "softmax_backward", Operation::kBackward},
    {"log-backward", "softmax_log_backward", "log_softmax_backward", Operation::kLogBackward},
};

const OperationRow& operation_row(const Case& c) {
  for (const OperationRow& row : kOperations) {
    if (row.name == c.word("operation")) return row;
  }
  return kOperations[0];  // make_case() accepts no other word
}

// One work-group per row.
Launch launch_of(const Binding& b, std::string_view entry) {
  Launch launch{.family = "softmax",
                .defines = operators::elementary_defines(),
                .entry = std::string(entry),
                .groups = {static_cast<std::uint32_t>(b.rows), 1, 1},
                .items = {static_cast<std::uint32_t>(operators::kLanes), 1, 1},
                .arguments = {}};
  launch.defines.emplace_back("HM_X_FORMAT", kernel_word(*b.input));
  launch.defines.emplace_back("HM_Y_FORMAT", kernel_word(*b.output));
  return launch;
}

PlanArgument integer(std::size_t value) { return static_cast<std::int32_t>(value); }

// With a boolean mask, softmax is applied to the masked logits.
void hide(const Binding& b, Plan& result) {
  const MaskRows mask = mask_rows(b);
  result.tensors = {
      {.name = "x", .format = b.input, .count = b.count()},
      {.name = "mask", .format = &formats::kFp32, .count = mask.rows * b.width},
      {.name = "seen", .format = b.input, .count = b.count(), .role = Role::kScratch}};
  Launch launch = launch_of(b, "softmax_hide");
  launch.arguments = {TensorRef{"x"},   TensorRef{"mask"},  TensorRef{"seen"},
                      integer(b.width), integer(mask.rows), integer(mask.neighbours)};
  result.launches.push_back(std::move(launch));
}

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  if (!b.portable) return library_plan(c, device);
  Plan result;
  if (!require_group(result, device, operators::kLanes)) return result;
  Launch launch = launch_of(b, operation_row(c).entry);
  const auto add = [&](const char* name, const Format* format, Role role) {
    result.tensors.push_back({.name = name, .format = format, .count = b.count(), .role = role});
    launch.arguments.emplace_back(TensorRef{name});
  };
  if (is_backward(b.operation)) {
    add("y", b.input, Role::kInput);
    add("dy", b.input, Role::kInput);
    add("dx", b.output, Role::kOutput);
  } else {
    if (hides(b)) {
      hide(b, result);
      launch.arguments.emplace_back(TensorRef{"seen"});
    } else {
      add("x", b.input, Role::kInput);
    }
    add("y", b.output, Role::kOutput);
  }
  launch.arguments.push_back(integer(b.width));
  result.launches.push_back(std::move(launch));
  return result;
}

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding b = bind(c);
  if (!b.portable) return evaluate_model(c, inputs, right_model(b));
  const operators::SoftmaxParams params{.rows = b.rows, .width = b.width, .output = b.output};
  const auto logits = [&] {
    return hides(b) ? hidden_logits(b, inputs, Hiding::kSpecified) : inputs.at("x");
  };
  switch (b.operation) {
    case Operation::kForward:
      return TensorSet{{"y", fast::softmax_forward(params, logits(), machine)}};
    case Operation::kLogForward:
      return TensorSet{{"y", fast::softmax_log_forward(params, logits(), machine)}};
    case Operation::kBackward:
      return TensorSet{
          {"dx", fast::softmax_backward(params, inputs.at("y"), inputs.at("dy"), machine)}};
    case Operation::kLogBackward:
      return TensorSet{{"dx", operators::softmax_log_backward(params, inputs.at("y"),
                                                              inputs.at("dy"), machine)}};
  }
  return TensorSet{};
}

// The mask word of a logit.
Operand word_of(const Binding& b, const formats::Tensor& mask, std::size_t index) {
  const std::size_t row = mask_row(mask_rows(b), index / b.width), column = index % b.width;
  return {.label = fmt::format("mask[{},{}]", row, column),
          .format = mask.format,
          .bits = mask.at(row * b.width + column)};
}

std::vector<Operand> operands(const Binding& b, const TensorSet& inputs, std::string_view,
                              std::size_t index) {
  std::vector<Operand> list;
  const Layout layout = layout_of(b);
  const Layout results = result_layout_of(b);
  const std::size_t step = layout.row_step;
  if (step != results.row_step)
    index = layout.at(index / results.row_step, index % results.row_step);
  for (const auto& [name, tensor] : inputs) {
    if (hides(b) && name == "mask") {
      list.push_back(word_of(b, tensor, index));
      continue;
    }
    if (index >= tensor.count()) continue;
    list.push_back({.label = fmt::format("{}[{},{}]", name, index / step, index % step),
                    .format = tensor.format,
                    .bits = tensor.at(index)});
  }
  return list;
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words(
          "operation", "softmax, log-softmax, or the gradient of one of them",
          {kOperations[0].name, kOperations[1].name, kOperations[2].name, kOperations[3].name}),
      axis_of_words("format", "format of the logits; for the gradient of y and dy",
                    {"fp16", "bf16", "fp32"}),
      output_axis(),
      provider_axis(),
      rows_axis(),
      fill_axis(fill_names()),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const std::string_view output = c.word("output").substr(std::string_view("out-").size());
  const std::uint64_t rows = c.number("shape", 'r');
  const std::uint64_t width = c.number("shape", 'n');
  if (rows == 0 || width == 0 || rows > kMostElements || width > kMostElements / rows) {
    throw UsageError(
        fmt::format("case '{}': rows and elements must be at least 1, and 2^28 in all", print(c)));
  }
  const Binding b{.operation = operation_row(c).operation,
                  .input = formats::find_format(c.word("format")),
                  .output = formats::find_format(output),
                  .rows = static_cast<std::size_t>(rows),
                  .width = static_cast<std::size_t>(width),
                  .fill = c.word("fill"),
                  .portable = c.word("provider") == kPortable};
  if (b.portable && only_for_libraries(b.fill)) {
    throw UsageError(fmt::format("case '{}': fill '{}' is one for libraries", print(c), b.fill));
  }
  if (!b.portable && only_for_kernels(b.fill)) {
    throw UsageError(
        fmt::format("case '{}': fill '{}' is one for portable kernels", print(c), b.fill));
  }
  if (!applies(b.fill, b.operation)) {
    throw UsageError(fmt::format("case '{}': fill '{}' is not one of operation '{}'", print(c),
                                 b.fill, c.word("operation")));
  }
  return b;
}

namespace {

Extent extent(const Binding& b, std::string_view) {
  const Layout layout = result_layout_of(b);
  if (layout.element_step != 1) return {.rows = b.width, .columns = layout.element_step};
  return {.rows = b.rows, .columns = layout.row_step};
}

}  // namespace

namespace {

class SoftmaxProblem final : public Problem {
 public:
  explicit SoftmaxProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  std::string operation() const override { return std::string(operation_row(c()).reported); }
  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return softmax::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return softmax::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return softmax::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return softmax::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return softmax::mistakes(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return softmax::operands(b_, inputs, tensor, index);
  }
  bool holds_integers(std::string_view tensor) const override {
    return tensor == "mask" && hides(b_);
  }
  bool follows_machine() const override { return b_.portable; }
  Extent extent(std::string_view tensor) const override { return softmax::extent(b_, tensor); }
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
  std::optional<Relation> relation() const override { return softmax::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "softmax",
      .summary =
          "softmax, log-softmax and the gradient of softmax, as specified operation by operation",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<SoftmaxProblem>,
      .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::softmax
