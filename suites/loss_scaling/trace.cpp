// SPDX-License-Identifier: Apache-2.0
// The results of a script: the scaler of the reference, step by step.
#include <array>

#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;
using operators::Fp32;
using operators::LossScalerState;

Bits word(std::int64_t count) { return static_cast<std::uint32_t>(count); }

// A run through a script.
class Trace {
 public:
  Trace(const Binding& b, const TensorSet& inputs, const models::Machine& machine,
        const TraceVariant& variant)
      : b_(b),
        gradients_(inputs.at("gradients")),
        machine_(machine),
        variant_(variant),
        profile_(*b.scaler.profile),
        updater_{.profile = &profile_, .settings = b.scaler.settings},
        update_machine_(machine),
        state_{.scale = inputs.at("07_scale").at(0),
               .clean_steps = static_cast<std::int32_t>(inputs.at("08_counts").at(0)),
               .hysteresis = static_cast<std::int32_t>(inputs.at("08_counts").at(1))},
        saved_(state_) {
    depart();
    const std::size_t steps = b.steps();
    out_ = {{"01_unscaled", Tensor::zeros(b.unscaled_format(), steps * b.devices * b.count)},
            {"02_flags", Tensor::zeros(kFp32, steps * b.devices)},
            {"03_found", Tensor::zeros(kFp32, steps)},
            {"04_scales", Tensor::zeros(kFp32, steps)},
            {"05_counts", Tensor::zeros(kFp32, 2 * steps)},
            {"06_weights", inputs.at("06_weights")}};
    if (b.script->clips) out_.emplace("00_norms", Tensor::zeros(kFp32, steps));
  }

  [[nodiscard]] TensorSet run() {
    std::size_t step = 0;
    for (const char event : b_.script->events) {
      if (event == 's') saved_ = state_;
      if (event == 'r') restore();
      if (is_step(event)) take(step++);
    }
    const std::array<Bits, 2> counts = {word(state_.clean_steps), word(state_.hysteresis)};
    out_.emplace("07_scale", Tensor::from_bits(kFp32, std::array<Bits, 1>{state_.scale}));
    out_.emplace("08_counts", Tensor::from_bits(kFp32, counts));
    return std::move(out_);
  }

 private:
  // What the variant changes of the new scale.
  void depart() {
    if (variant_.scale_truncated) {
      update_machine_.mul.rounding = soft::Rounding::kTowardZero;
      update_machine_.div.rounding = soft::Rounding::kTowardZero;
    }
    if (variant_.factors_in_double) profile_.product_format = &formats::kFp64;
    if (!variant_.falls_by_reciprocal ||
        profile_.backoff != operators::BackoffRule::kDividesByGrowth)
      return;
    const Bits growth = soft::convert(formats::kFp64, kFp32, updater_.settings.growth_factor).bits;
    profile_.backoff = operators::BackoffRule::kMultiplies;
    updater_.settings.backoff_factor =
        soft::convert(kFp32, formats::kFp64, soft::div(kFp32, Fp32::kOne, growth).bits).bits;
  }

  void restore() {
    state_ = saved_;
    if (variant_.restore_drops_clean_steps) state_.clean_steps = 0;
    if (variant_.restore_drops_hysteresis) state_.hysteresis = b_.scaler.settings.hysteresis;
  }

  void take(std::size_t step) {
    std::size_t found = 0;
    const operators::ClippedGradients got = gradients(step);
    for (std::size_t device = 0; device < b_.devices; ++device)
      found += keep(step, device, got) ? 1U : 0U;
    if (b_.script->clips) out_.at("00_norms").set(step, got.norm);
    out_.at("03_found").set(step, soft::from_int(kFp32, static_cast<std::int64_t>(found)).bits);
    const operators::LossScalerUpdate next =
        operators::updated(updater_, state_, found, update_machine_, variant_.scaler);
    if (next.outcome == operators::StepOutcome::kTaken) descend(step);
    state_ = next.state;
    out_.at("04_scales").set(step, state_.scale);
    out_.at("05_counts").set(2 * step, word(state_.clean_steps));
    out_.at("05_counts").set(2 * step + 1, word(state_.hysteresis));
  }

  // Of all devices, unscaled and, if the script says so, clipped.
  [[nodiscard]] operators::ClippedGradients gradients(std::size_t step) const {
    std::vector<Tensor> scaled;
    for (std::size_t device = 0; device < b_.devices; ++device) {
      const std::size_t first = (step * b_.devices + device) * b_.count;
      Tensor one = Tensor::zeros(*b_.format, b_.count);
      for (std::size_t i = 0; i < b_.count; ++i) one.set(i, gradients_.at(first + i));
      scaled.push_back(std::move(one));
    }
    if (b_.script->clips && !variant_.never_clips)
      return operators::clipped(b_.scaler, state_.scale, scaled, kClipLimit, machine_, clipping());
    operators::ClippedGradients got;
    for (const Tensor& one : scaled) {
      operators::UnscaledGradients each =
          operators::unscaled(b_.scaler, state_.scale, one, machine_, variant_.scaler);
      got.gradients.push_back(std::move(each.gradients));
      got.found.push_back(each.found);
    }
    return got;
  }

  [[nodiscard]] operators::ClippingVariant clipping() const {
    return {.before_unscaling = variant_.clips_before_unscaling,
            .norm_of_scaled = variant_.clips_by_scaled_norm,
            .norm_in_half = variant_.clips_by_half_norm,
            .scaler = variant_.scaler};
  }

  // Writes the gradients of one device, and returns its flag.
  [[nodiscard]] bool keep(std::size_t step, std::size_t device,
                          const operators::ClippedGradients& got) {
    const std::size_t first = (step * b_.devices + device) * b_.count;
    for (std::size_t i = 0; i < b_.count; ++i)
      out_.at("01_unscaled").set(first + i, got.gradients[device].at(i));
    sticky_ = (sticky_ && variant_.flag_never_cleared) || got.found[device];
    out_.at("02_flags").set(step * b_.devices + device, sticky_ ? Fp32::kOne : 0);
    return sticky_;
  }

  void descend(std::size_t step) {
    const Fp32 op(machine_);
    const Tensor& unscaled = out_.at("01_unscaled");
    Tensor& weights = out_.at("06_weights");
    for (std::size_t i = 0; i < weights.count(); ++i) {
      const Bits g = op.load(*unscaled.format, unscaled.at(step * weights.count() + i));
      weights.set(i, op.fma(Fp32::negated(kRate), g, weights.at(i)));
    }
  }

  const Binding& b_;
  const Tensor& gradients_;
  const models::Machine& machine_;
  const TraceVariant& variant_;
  operators::LossScalerProfile profile_;
  operators::LossScaler updater_;
  models::Machine update_machine_;
  LossScalerState state_, saved_;
  bool sticky_ = false;
  TensorSet out_;
};

}  // namespace

TensorSet traced(const Binding& b, const TensorSet& inputs, const models::Machine& machine,
                 const TraceVariant& variant) {
  return Trace(b, inputs, machine, variant).run();
}

Bits scale_in(const Binding& b, const TensorSet& inputs, std::size_t step) {
  const TensorSet outputs = traced(b, inputs, {}, {});
  const Tensor& after = outputs.at("04_scales");
  Bits scale = inputs.at("07_scale").at(0), saved = scale;
  std::size_t next = 0;
  for (const char event : b.script->events) {
    if (event == 's') saved = scale;
    if (event == 'r') scale = saved;
    if (!is_step(event)) continue;
    if (next == step) break;
    scale = after.at(next++);
  }
  return scale;
}

}  // namespace halfmark::suites::loss_scaling
