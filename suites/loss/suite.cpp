// SPDX-License-Identifier: Apache-2.0
#include "suites/loss/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/operators/lanes.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/loss/binding.hpp"
#include "suites/loss/evaluation.hpp"

namespace halfmark::suites::loss {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::uint32_t kGroupItems = 64;
constexpr int kUpstreamExponent = 16;  // a common loss scale

struct OperationRow {
  std::string_view name, library_name, entry;  // token, library's operator, kernel
  Operation operation;
};

constexpr OperationRow kOperations[] = {
    {"mse", "mse", "loss_mse", Operation::kMse},
    {"mse-backward", "mse_backward", "loss_mse_backward", Operation::kMseBackward},
    {"scale", "loss_scale", "loss_scale", Operation::kScale},
};

const OperationRow& row_of(const Case& c) { return row_named(kOperations, c.word("operation")); }

constexpr std::array<std::string_view, 4> kFills = {"integer", "far", "normal", "related"};

// far: integers up to 512, whose squared differences exceed fp16. related: numbers below 4, an
// eighth of which is not subnormal.
Tensor operand(const Case& c, const Binding& b, const std::string& name) {
  const Random random(c, name);
  if (b.fill != "far" && b.fill != "related") return fill(*b.format, b.count(), b.fill, random);
  const bool far = b.fill == "far";
  const int exponent = far ? 0 : -10;
  const std::int64_t most = far ? 1025 : 8191;
  Tensor tensor = Tensor::zeros(*b.format, b.count());
  for (std::size_t i = 0; i < b.count(); ++i) {
    const std::int64_t value =
        static_cast<std::int64_t>(random.below(i, static_cast<std::uint64_t>(most))) - most / 2;
    tensor.set(i, scaled(*b.format, value, exponent));
  }
  return tensor;
}

TensorSet make_inputs(const Case& c, const Binding& b) {
  TensorSet inputs;
  inputs.emplace("x", operand(c, b, "x"));
  if (b.operation == Operation::kScale) return inputs;
  inputs.emplace("x2", operand(c, b, "x2"));
  if (b.operation == Operation::kMse) return inputs;
  Tensor dy = Tensor::zeros(formats::kFp32, b.count());
  for (std::size_t i = 0; i < b.count(); ++i) {
    dy.set(i, scaled(formats::kFp32, i == 0 ? 1 : static_cast<std::int64_t>(i % 7) + 2,
                     kUpstreamExponent));
  }
  inputs.emplace("dy", std::move(dy));
  return inputs;
}

std::vector<std::string> operands_of(const Binding& b) {
  if (b.operation == Operation::kScale) return {"x"};
  if (b.operation == Operation::kMse) return {"x", "x2"};
  return {"x", "x2", "dy"};
}

void add_launch(Plan& plan, const Case& c, const Binding& b) {
  const bool by_row = b.operation == Operation::kMse;
  const std::size_t groups = by_row ? b.rows : (b.count() + kGroupItems - 1) / kGroupItems;
  Launch launch{
      .family = "loss",
      .defines = {{"HM_X_FORMAT", kernel_word(*b.format)}, {"HM_Y_FORMAT", kernel_word(*b.output)}},
      .entry = std::string(row_of(c).entry),
      .groups = {static_cast<std::uint32_t>(groups), 1, 1},
      .items = {static_cast<std::uint32_t>(operators::kLanes), 1, 1},
      .arguments = {}};
  for (const std::string& name : operands_of(b)) launch.arguments.emplace_back(TensorRef{name});
  launch.arguments.emplace_back(TensorRef{result_of(b)});
  launch.arguments.emplace_back(static_cast<std::int32_t>(by_row ? b.width : b.count()));
  if (!by_row) launch.arguments.emplace_back(std::ldexp(1.0F, b.exponent));
  plan.launches.push_back(std::move(launch));
}

// Returns false if the device has no such provider, which the plan then states.
bool call_library(Plan& plan, const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  OperatorStep* step = add_operator(plan, device, c.word("provider"), row_of(c).library_name);
  if (step == nullptr) return false;
  const double power = std::ldexp(1.0, b.exponent);
  const auto matrix = [&](const char* name) { return dense(name, {b.rows, b.width}); };
  switch (b.operation) {
    case Operation::kScale:
      step->tensors = {dense("x", {b.count()}), dense("y", {b.count()})};
      step->scalars = {{"scale", power}};
      break;
    case Operation::kMse:
      step->tensors = {matrix("x"), matrix("x2"), dense("y", {b.rows})};
      break;
    case Operation::kMseBackward:
      step->tensors = {matrix("x"), matrix("x2"), dense("dy", {1}), matrix("dx")};
      step->scalars = {{"count", power}};
      break;
  }
  return true;
}

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  Plan result;
  if (b.portable) {
    if (!require_group(result, device, operators::kLanes)) return result;
    add_launch(result, c, b);
  } else if (!call_library(result, c, b, device)) {
    return result;
  }
  for (const std::string& name : operands_of(b)) {
    const Format* format = name == "dy" ? &formats::kFp32 : b.format;
    result.tensors.push_back(
        {.name = name, .format = format, .count = b.count(), .role = Role::kInput});
  }
  result.tensors.push_back(
      {.name = result_of(b), .format = b.output, .count = results(b), .role = Role::kOutput});
  return result;
}

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("operation",
                    "mean squared error of each row, its gradient, or loss times scale",
                    {"mse", "mse-backward", "scale"}),
      axis_of_words("format", "format of the operands", {"fp16", "bf16", "fp32"}),
      output_axis(),
      provider_axis(),
      shape_axis(
          "r rows of n elements; 2^p elements that the mean of a gradient is over, or the scale",
          "rnp"),
      fill_axis(kFills),
  };
  return kAxes;
}

struct CaseRow {
  std::string_view operation, format, output, shape, fill;
};

constexpr CaseRow kSmoke[] = {
    {"mse", "fp16", "out-fp32", "r8n257p0", "far"},
    {"mse", "fp16", "out-fp16", "r8n1021p0", "integer"},
    {"mse", "bf16", "out-fp32", "r8n257p0", "normal"},
    {"mse", "fp32", "out-fp32", "r8n1021p0", "normal"},
    {"mse-backward", "fp16", "out-fp16", "r1n1021p10", "integer"},
    {"mse-backward", "fp16", "out-fp16", "r1n1021p26", "far"},
    {"mse-backward", "fp16", "out-fp32", "r1n1021p25", "normal"},
    {"mse-backward", "bf16", "out-bf16", "r1n1021p28", "normal"},
    {"scale", "fp16", "out-fp32", "r1n1021p16", "normal"},
    {"scale", "fp32", "out-fp32", "r1n1021p16", "normal"},
    {"scale", "fp16", "out-fp32", "r1n1021p24", "normal"},
    {"mse", "fp16", "out-fp32", "r8n256p0", "related"},
    {"mse", "fp32", "out-fp32", "r8n256p0", "related"},
    {"mse-backward", "fp16", "out-fp32", "r1n1021p10", "related"},
};

constexpr std::string_view kWidths[] = {"1", "2", "3", "63", "64", "65", "255", "1025", "4097"};

void add(CaseList& list, const CaseRow& row) {
  for (const std::string_view provider : {"portable", "library"}) {
    list.add({row.operation, row.format, row.output, provider, row.shape, row.fill});
  }
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("loss", axes(), seed);
  for (const CaseRow& row : kSmoke) add(list, row);
  if (level < Level::kStandard) return std::move(list).take();
  for (const std::string_view width : kWidths) {
    for (const std::string_view fill : kFills) {
      const std::string rows = fmt::format("r4n{}p0", width);
      add(list, {"mse", "fp16", "out-fp32", rows, fill});
      for (const int power : {11, 20, 24, 26}) {
        const std::string shape = fmt::format("r4n{}p{}", width, power);
        add(list, {"mse-backward", "fp16", "out-fp16", shape, fill});
      }
      if (fill == "related") continue;
      const std::string scale = fmt::format("r4n{}p15", width);
      add(list, {"scale", "fp16", "out-fp32", scale, fill});
    }
  }
  return std::move(list).take();
}

}  // namespace

Binding bind(const Case& c) {
  const Binding b{
      .operation = row_of(c).operation,
      .format = formats::find_format(c.word("format")),
      .output = formats::find_format(c.word("output").substr(4)),
      .portable = c.word("provider") == kPortable,
      .rows = static_cast<std::size_t>(c.number("shape", 'r')),
      .width = static_cast<std::size_t>(c.number("shape", 'n')),
      .exponent = static_cast<int>(std::min<std::uint64_t>(c.number("shape", 'p'), 1000)),
      .fill = c.word("fill")};
  const bool sized =
      b.rows > 0 && b.rows <= kMostElements && b.width > 0 && b.width <= kMostElements / b.rows;
  const bool formed =
      b.operation != Operation::kScale || (b.output == &formats::kFp32 && b.fill != "related");
  if (!sized || !formed || b.exponent > 100) {
    throw UsageError(
        fmt::format("case '{}': 1 to 2^28 elements, p at most 100, and fp32 for a scaled loss, "
                    "which has no relation",
                    print(c)));
  }
  return b;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine), enclose(c, inputs)};
}

class LossProblem final : public Problem {
 public:
  explicit LossProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return loss::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return loss::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return loss::make_inputs(c(), b_); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return loss::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return loss::hypotheses(c()); }
  bool follows_machine() const override { return b_.portable; }
  std::optional<FindingClassName> near_class() const override {
    if (b_.portable) return std::nullopt;
    return FindingClassName("low_precision");
  }
  std::optional<Relation> relation() const override { return loss::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "loss",
                            .summary = "mean squared error, its gradient, and loss scaling",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .bind = bind_as<LossProblem>,
                            .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::loss
