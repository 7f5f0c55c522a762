// SPDX-License-Identifier: Apache-2.0
#include "suites/optimizer/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::optimizer {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;
using operators::OptimizerKind;
using operators::OptimizerSettings;

Bits wide(double value) { return std::bit_cast<Bits>(value); }

struct Rule {
  std::string_view name;
  OptimizerKind kind;
  double rate, momentum, dampening, beta1, decay;
  bool nesterov;
};

// The frameworks' defaults, but for what would hide a step: dampening, and a beta1 below 1/2, for
// which the first moment is computed from the other end.
constexpr Rule kRules[] = {
    {"sgd", OptimizerKind::kSgd, 0.01, 0, 0, 0, 0, false},
    {"momentum", OptimizerKind::kSgd, 0.01, 0.9, 0.25, 0, 0, false},
    {"nesterov", OptimizerKind::kSgd, 0.01, 0.9, 0, 0, 0.0005, true},
    {"adam", OptimizerKind::kAdam, 0.001, 0, 0, 0.9, 0, false},
    {"adam_l2", OptimizerKind::kAdam, 0.001, 0, 0, 0.25, 0.01, false},
    {"adamw", OptimizerKind::kAdamW, 0.001, 0, 0, 0.9, 0.01, false},
};

constexpr Script kScripts[] = {
    {"steps", "....", -3},
    {"skip", "i.i..", -3},
    {"evaluate", ".e..e.", -3},
    {"tiny", "...", -12},
};

template <typename Names>
std::vector<std::string_view> list_of(const Names& names) {
  return {names.begin(), names.end()};
}

OptimizerSettings settings_of(const Rule& rule) {
  return {.kind = rule.kind,
          .rate = wide(rule.rate),
          .momentum = wide(rule.momentum),
          .dampening = wide(rule.dampening),
          .beta1 = wide(rule.beta1),
          .beta2 = wide(0.999),
          .epsilon = wide(1e-8),
          .decay = wide(rule.decay),
          .nesterov = rule.nesterov};
}

// Of many sizes, so that epsilon and the roundings of each show somewhere; one in sixteen is zero.
Tensor gradients_of(const Case& c, const Binding& b) {
  const std::size_t total = b.steps() * b.count;
  Tensor gradients = fill(*b.format, total, "normal", Random(c, "gradients"));
  const Random sizes(c, "sizes of gradients");
  for (std::size_t i = 0; i < total; ++i) {
    const std::uint64_t size = sizes.below(i, 16);
    const int exponent = b.script->exponent - static_cast<int>(size % 8);
    gradients.set(i, size == 15 ? 0 : soft::ldexp(*b.format, gradients.at(i), exponent).bits);
  }
  std::size_t step = 0;
  for (const char event : b.script->events) {
    if (event == 'i')
      gradients.set(step * b.count + Random(c, "place").below(step, b.count),
                    formats::infinity(*b.format, step % 2 != 0));
    if (is_step(event)) ++step;
  }
  return gradients;
}

Tensor found_of(const Binding& b) {
  Tensor found = Tensor::zeros(kFp32, b.steps());
  std::size_t step = 0;
  for (const char event : b.script->events) {
    if (event == 'i') found.set(step, operators::Fp32::kOne);
    if (is_step(event)) ++step;
  }
  return found;
}

Tensor settings_tensor(const operators::OptimizerScalars& s) {
  Tensor tensor = Tensor::zeros(kFp32, kPlaces);
  const std::pair<Place, Bits> places[] = {
      {kRate, s.rate},     {kMomentum, s.momentum}, {kUndamped, s.undamped}, {kDecay, s.decay},
      {kKept, s.kept},     {kShare1, s.share1},     {kRest1, s.rest1},       {kBeta2, s.beta2},
      {kShare2, s.share2}, {kEpsilon, s.epsilon}};
  for (const auto& [place, value] : places) tensor.set(place, value);
  return tensor;
}

}  // namespace

std::size_t Binding::steps() const {
  return static_cast<std::size_t>(
      std::count_if(script->events.begin(), script->events.end(), is_step));
}

std::span<const Axis> axes() {
  static const Axis kAxes[] = {
      axis_of_words("rule", "the optimizer and its settings", list_of(names_of(kRules))),
      axis_of_words("format", "format of the gradients and of the narrow weights",
                    {"fp16", "bf16", "fp32"}),
      provider_axis(Providers::kHalfmark), size_axis(),
      axis_of_words("script", "what happens in the steps", list_of(names_of(kScripts)))};
  return kAxes;
}

Binding bind(const Case& c) {
  const Binding b{.settings = settings_of(row_named(kRules, c.word("rule"))),
                  .format = formats::find_format(c.word("format")),
                  .count = c.number("size", 'n'),
                  .script = &row_named(kScripts, c.word("script"))};
  constexpr std::size_t kMost = std::size_t{1} << 24;
  if (b.count == 0 || b.count > kMost)
    throw UsageError(fmt::format("case '{}': n must lie between 1 and {}", print(c), kMost));
  return b;
}

TensorSet tables(const OptimizerSettings& settings, std::size_t steps) {
  Tensor sizes = Tensor::zeros(kFp32, steps), corrections = sizes;
  for (std::size_t step = 0; step < steps; ++step) {
    const operators::OptimizerScalars s = operators::scalars_of(settings, step + 1);
    sizes.set(step, s.size);
    corrections.set(step, s.correction);
  }
  return {{"settings", settings_tensor(operators::scalars_of(settings, 1))},
          {"sizes", std::move(sizes)},
          {"corrections", std::move(corrections)}};
}

TensorSet make_inputs(const Case& c, const Binding& b) {
  TensorSet inputs = tables(b.settings, b.steps());
  inputs.merge(TensorSet{{"gradients", gradients_of(c, b)},
                         {"found", found_of(b)},
                         {"02_first", Tensor::zeros(kFp32, b.count)},
                         {"03_second", Tensor::zeros(kFp32, b.count)},
                         {"04_weights", fill(kFp32, b.count, "normal", Random(c, "weights"))}});
  return inputs;
}

}  // namespace halfmark::suites::optimizer
