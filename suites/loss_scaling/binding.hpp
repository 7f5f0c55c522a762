// SPDX-License-Identifier: Apache-2.0
// What the tokens of a loss_scaling case mean, the scripts, and the names of the tensors. Only
// binding.cpp reads tokens; the other files of the folder share it.
#pragma once

#include <span>

#include "reference/operators/gradient_clipping.hpp"
#include "reference/operators/loss_scaler.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss_scaling {

/// A letter for each event. Steps: '.' finite gradients, 'l' large finite ones, 'i' an infinity on
/// one device, 'n' a NaN on one, 't' an infinity that is the very last gradient, 'a' infinities on
/// all devices. Between steps: 's' saves the state, 'r' restores it.
struct Script {
  std::string_view name;
  std::string_view events;
  /// 0: that of the profile's floor or ceiling where it has one, so that the script meets it.
  formats::Bits scale = 0;           // fp32
  formats::Bits growth_factor = 0;   // fp64; 0: that of the profile
  formats::Bits backoff_factor = 0;  // the same, where the profile has one
  int exponent = 0;                  // gradients are a bell curve times 2^exponent
  bool clips = false;                // to kClipLimit, in the order of the profile
};

struct Binding {
  /// With the scale and its products in fp32, as on the device.
  operators::LossScaler scaler;
  const formats::Format* format = nullptr;  // of the gradients
  std::size_t count = 0, devices = 0;       // gradients of each device
  const Script* script = nullptr;

  [[nodiscard]] const formats::Format& unscaled_format() const {
    const formats::Format* own = scaler.profile->unscaled_format;
    return own != nullptr ? *own : *format;
  }
  [[nodiscard]] std::size_t steps() const;
};

[[nodiscard]] inline bool is_step(char event) { return event != 's' && event != 'r'; }

inline constexpr formats::Bits kRate = 0x3c23d70a;       // 0.01
inline constexpr formats::Bits kClipLimit = 0x3c800000;  // 1/64

/// Factors that are no powers of two are for profiles whose own products of the scale are in fp32.
[[nodiscard]] bool has_script(std::string_view profile, std::string_view script);

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] Binding bind(const Case& c);
[[nodiscard]] Plan make_plan(const Binding& b, const backends::DeviceInfo& device);
/// The rules and settings of a scaler, as the kernel scaling_update takes them after its step.
[[nodiscard]] std::vector<PlanArgument> update_arguments(const operators::LossScaler& scaler);
[[nodiscard]] TensorSet make_inputs(const Case& c, const Binding& b);
[[nodiscard]] std::vector<Hypothesis> hypotheses();

/// Departures of a whole run: those of the scaler, and of what carries its state from step to step.
struct TraceVariant {
  operators::LossScalerVariant scaler;
  bool flag_never_cleared = false;
  bool restore_drops_clean_steps = false;
  bool restore_drops_hysteresis = false;
  bool scale_truncated = false;
  bool factors_in_double = false;
  bool falls_by_reciprocal = false;  // of the growth factor, where the profile divides by it
  bool never_clips = false;
  bool clips_before_unscaling = false;
  bool clips_by_scaled_norm = false;
  bool clips_by_half_norm = false;
};

/// All outputs of the plan.
[[nodiscard]] TensorSet traced(const Binding& b, const TensorSet& inputs,
                               const models::Machine& machine, const TraceVariant& variant);
/// The scale with which a step's gradients come, as specified.
[[nodiscard]] formats::Bits scale_in(const Binding& b, const TensorSet& inputs, std::size_t step);

}  // namespace halfmark::suites::loss_scaling
