// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/suite.hpp"

#include <fmt/format.h>

#include <bit>

#include "reference/fast/layernorm.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/mistakes.hpp"
#include "suites/layernorm/model.hpp"

namespace halfmark::suites::layernorm {
namespace {

struct Epsilon {
  std::string_view word;
  std::uint32_t bits;  // fp32, rounded to nearest even
};

constexpr Epsilon kEpsilons[] = {{"eps1e-5", 0x3727c5ac}, {"eps1e-12", 0x2b8cbccc}};

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  if (!b.portable) return library_plan(c, device);
  Plan result;
  if (!require_group(result, device, operators::kLanes)) return result;
  result.tensors = tensors_of(b);
  result.launches = launches_of(b);
  return result;
}

// Without centering there is no mean, no beta, and no gradient of either.
TensorSet specified(const Binding& b, const TensorSet& inputs, const models::Machine& machine) {
  const formats::Tensor none;
  const auto centered = [&](const char* name) -> const formats::Tensor& {
    return b.centered ? inputs.at(name) : none;
  };
  TensorSet out;
  if (!b.backward) {
    auto y = fast::layernorm_forward(b.params(), inputs.at("x"), inputs.at("gamma"),
                                     centered("beta"), machine);
    out.emplace("y", std::move(y.y));
    if (b.centered) out.emplace("mean", std::move(y.mean));
    out.emplace("rstd", std::move(y.rstd));
    return out;
  }
  auto gradients = fast::layernorm_backward(b.params(),
                                            {.x = inputs.at("x"),
                                             .gamma = inputs.at("gamma"),
                                             .dy = inputs.at("dy"),
                                             .mean = centered("mean"),
                                             .rstd = inputs.at("rstd")},
                                            machine);
  out.emplace("dx", std::move(gradients.dx));
  out.emplace("dgamma", std::move(gradients.dgamma));
  if (b.centered) out.emplace("dbeta", std::move(gradients.dbeta));
  return out;
}

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding b = bind(c);
  if (b.portable) return specified(b, inputs, machine);
  Expectation expected = evaluate_model(c, inputs, {});
  if (!weights_are_exact(b)) return expected;
  const TensorSet exact = specified(b, inputs, {});
  Enclosure& allowed = *expected.enclosure;
  for (const char* name : {"dgamma", "dbeta"}) {
    if (!exact.contains(name)) continue;
    allowed.low.at(name) = allowed.high.at(name) = exact.at(name);
  }
  return expected;
}

std::vector<Operand> operands(const Binding& b, const TensorSet& inputs, std::string_view tensor,
                              std::size_t index) {
  std::vector<Operand> list;
  const auto add = [&](const char* name, std::size_t at) {
    const auto found = inputs.find(name);
    if (found == inputs.end() || at >= found->second.count()) return;
    list.push_back({.label = fmt::format("{}[{}]", name, at),
                    .format = found->second.format,
                    .bits = found->second.at(at)});
  };
  const bool per_row = tensor == "mean" || tensor == "rstd";
  const bool per_column = tensor == "dgamma" || tensor == "dbeta";
  if (per_row) add("x", index * b.width);
  if (per_column) add("dy", index);
  if (per_row || per_column) return list;
  add("x", index);
  add("dy", index);
  add("gamma", index % b.width);
  add("beta", index % b.width);
  add("mean", index / b.width);
  add("rstd", index / b.width);
  return list;
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("operation",
                    "layer normalisation or its gradients; rms-: root mean square normalisation",
                    {"forward", "backward", "rms-forward", "rms-backward"}),
      axis_of_words("format", "format of all tensors but the statistics, which are fp32",
                    {"fp16", "bf16", "fp32"}),
      provider_axis(),
      rows_axis(),
      axis_of_words("eps", "what is added to the variance", {kEpsilons[0].word, kEpsilons[1].word}),
      fill_axis(fill_names()),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const std::uint64_t rows = c.number("shape", 'r');
  const std::uint64_t width = c.number("shape", 'n');
  constexpr std::uint64_t kWidest = std::uint64_t{1} << 24;  // (float)width stays exact
  if (rows == 0 || width == 0 || width > kWidest || rows > kMostElements / width) {
    throw UsageError(
        fmt::format("case '{}': rows and elements must be at least 1, a row at most "
                    "2^24 and all rows 2^28 elements",
                    print(c)));
  }
  const bool wide_eps = c.word("eps") == kEpsilons[0].word;
  const Binding b{.backward = c.word("operation").ends_with("backward"),
                  .centered = !c.word("operation").starts_with("rms-"),
                  .portable = c.word("provider") == kPortable,
                  .format = formats::find_format(c.word("format")),
                  .rows = static_cast<std::size_t>(rows),
                  .width = static_cast<std::size_t>(width),
                  .eps = kEpsilons[wide_eps ? 0 : 1].bits,
                  .fill = c.word("fill")};
  if (b.portable && only_for_libraries(b.fill)) {
    throw UsageError(fmt::format("case '{}': '{}' with fill '{}' is one for libraries", print(c),
                                 c.word("operation"), b.fill));
  }
  if (!applies(b.fill, b.backward)) {
    throw UsageError(fmt::format("case '{}': fill '{}' is not one of operation '{}'", print(c),
                                 b.fill, c.word("operation")));
  }
  return b;
}

namespace {

Extent extent(const Binding& b, std::string_view tensor) {
  if (tensor == "mean" || tensor == "rstd") return {.rows = 1, .columns = b.rows};
  if (tensor == "dgamma" || tensor == "dbeta") return {.rows = 1, .columns = b.width};
  return {.rows = b.rows, .columns = b.width};
}

class LayernormProblem final : public Problem {
 public:
  explicit LayernormProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  std::string operation() const override {
    return fmt::format("{}{}", b_.centered ? "layernorm" : "rmsnorm",
                       b_.backward ? "_backward" : "");
  }
  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return layernorm::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return layernorm::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return layernorm::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return layernorm::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return layernorm::mistakes(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return layernorm::operands(b_, inputs, tensor, index);
  }
  bool follows_machine() const override { return b_.portable; }
  std::vector<Hypothesis> mistakes_seen_in(const Places& wrong, const TensorSet&) const override {
    return layernorm::located_mistakes(c(), wrong);
  }
  Extent extent(std::string_view tensor) const override { return layernorm::extent(b_, tensor); }
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
  std::optional<Relation> relation() const override { return layernorm::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "layernorm",
      .summary = "layer normalisation and its gradients, as specified operation by operation",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<LayernormProblem>,
      .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::layernorm
