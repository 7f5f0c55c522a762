// SPDX-License-Identifier: Apache-2.0
// What the tokens of an optimizer case mean, the settings, the scripts, and the names of the
// tensors. Only binding.cpp reads tokens; the other files of the folder share it.
#pragma once

#include <span>
#include <string_view>

#include "reference/operators/optimizer.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::optimizer {

/// A letter for each event. Steps: '.' is made, 'i' is skipped, since a scaler has found an
/// infinite gradient. Between steps: 'e' is an evaluation without a tape.
struct Script {
  std::string_view name;
  std::string_view events;
  int exponent = 0;  // gradients are a bell curve times 2^(exponent - 0 to 7)
};

struct Binding {
  operators::OptimizerSettings settings;
  const formats::Format* format = nullptr;  // of the gradients and of the narrow weights
  std::size_t count = 0;
  const Script* script = nullptr;

  [[nodiscard]] std::size_t steps() const;
};

[[nodiscard]] inline bool is_step(char event) { return event != 'e'; }

/// What a pass wants of the narrow copy of the weights, in the numbers of kernels/optimizer.hk.
inline constexpr int kNoCast = 0, kCast = 1, kTapedCast = 2;

/// The places of the tensor "settings", as kernels/optimizer.hk has them.
enum Place : std::uint8_t {
  kRate,
  kMomentum,
  kUndamped,
  kDecay,
  kKept,
  kShare1,
  kRest1,
  kBeta2,
  kShare2,
  kEpsilon,
  kPlaces
};

/// The tensors "settings", "sizes" and "corrections" of a script with this many steps.
[[nodiscard]] TensorSet tables(const operators::OptimizerSettings& settings, std::size_t steps);

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] Binding bind(const Case& c);
[[nodiscard]] Plan make_plan(const Binding& b, const backends::DeviceInfo& device);
[[nodiscard]] TensorSet make_inputs(const Case& c, const Binding& b);
[[nodiscard]] std::vector<Hypothesis> hypotheses();

/// Departures of a whole run: those of the optimizer, and of what stands around it.
struct TraceVariant {
  operators::OptimizerVariant optimizer;
  bool is_fused = true;
  bool never_skips = false;
  bool reuses_cast_without_tape = false;  // so that the step has no gradient
  bool never_renews_cast = false;
};

/// All outputs of the plan.
[[nodiscard]] TensorSet traced(const Binding& b, const TensorSet& inputs,
                               const models::Machine& machine, const TraceVariant& variant);

}  // namespace halfmark::suites::optimizer
