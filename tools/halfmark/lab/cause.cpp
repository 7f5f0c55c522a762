// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halfmark::tools::lab {
namespace {

constexpr double kMostZeros = 0.5, kMostSwallowed = 0.5, kMostExcess = 2;

Cause of_deviation(const Deviation& d) {
  Cause cause{.of = d.flushed ? "flush to zero" : "operator",
              .step = d.step,
              .tensor = d.tensor,
              .index = d.index};
  const std::string place = fmt::format("{} '{}' at step {}", d.operation, d.tensor, d.step);
  if (!d.fault.empty()) {
    cause.index.reset();
    cause.text = fmt::format("{}: {}", place, d.fault);
    return cause;
  }
  cause.text = fmt::format("{}: {} of {} elements {}; the first is {}: {} instead of {}", place,
                           d.wrong, d.elements,
                           d.flushed ? "are what flushing subnormal numbers to zero gives"
                                     : "are not what its operands give",
                           d.index, d.actual, d.expected);
  if (!d.sentence.empty()) cause.text += "; " + d.sentence;
  return cause;
}

// The last step that was made, if a scaler skipped only larger scales since, none of them because
// of the forward pass, which has no scale: it looks for the largest that serves. Null if there is
// no such step.
const StepTrace* step_of_recovery(std::span<const StepTrace> steps, const Mode& mode) {
  if (!mode.dynamic) return nullptr;
  const auto made = std::find_if(steps.rbegin(), steps.rend(), [](const StepTrace& step) {
    return !step.skipped && !step.first_non_finite;
  });
  if (made == steps.rend()) return nullptr;
  const bool is_served = std::all_of(steps.rbegin(), made, [&](const StepTrace& step) {
    return step.skipped && std::isfinite(step.loss) && step.scale > made->scale;
  });
  return is_served ? &*made : nullptr;
}

Cause of_overflow(std::span<const StepTrace> steps, const StepTrace& first, const Mode& mode) {
  const StepTrace* made = step_of_recovery(steps, mode);
  Cause cause{.of = "overflow",
              .step = first.step,
              .tensor = first.first_non_finite->first,
              .index = first.first_non_finite->second,
              .recovered = made != nullptr};
  cause.text = fmt::format("'{}' is the first tensor that is not finite, at element {} of step {}",
                           cause.tensor, *cause.index, cause.step);
  if (made != nullptr) {
    const auto skipped = std::count_if(steps.begin(), steps.end(),
                                       [](const StepTrace& step) { return step.skipped; });
    cause.text += fmt::format("; {} skipped, and the step at scale 2^{} was made",
                              skipped == 1 ? "1 step was" : fmt::format("{} steps were", skipped),
                              made->scale);
  }
  return cause;
}

Cause of_underflow(const StepTrace& first) {
  Cause cause{.of = "underflow", .step = first.step};
  cause.text = fmt::format("{:.4g} % of the gradients of weights are zero at step {}",
                           100 * first.zero_share(), first.step);
  const auto lost =
      std::find_if(first.tensors.begin(), first.tensors.end(), [](const TensorTrace& trace) {
        return !trace.is_masked && trace.statistics.zero_share() > kMostZeros;
      });
  if (lost == first.tensors.end()) return cause;
  cause.tensor = lost->name;
  cause.index = lost->statistics.first_zero;
  cause.text +=
      fmt::format("; '{}' is the first tensor that is mostly zero ({:.4g} %), from element {} on",
                  cause.tensor, 100 * lost->statistics.zero_share(), *cause.index);
  return cause;
}

Cause of_swallowed(const StepTrace& step) {
  return {
      .of = "swallowed updates",
      .step = step.step,
      .text = fmt::format("{} of {} updates ({:.4g} %) move no weight at step {}", step.swallowed,
                          step.updates, 100 * step.swallowed_share(), step.step)};
}

bool is_beyond(const ScaledTrace& t) { return t.beyond > 0 && t.excess() > kMostExcess; }

bool has_old_scale(const StepTrace& step) {
  return std::any_of(step.scaled.begin(), step.scaled.end(), is_beyond);
}

Cause of_old_scale(std::span<const StepTrace> steps, const StepTrace& step) {
  const ScaledTrace& first = *std::find_if(step.scaled.begin(), step.scaled.end(), is_beyond);
  Cause cause{.of = "old scale",
              .step = step.step,
              .tensor = first.name,
              .recovered = !has_old_scale(steps.back())};
  cause.text = fmt::format(
      "{} is {:.4g} times as large as what its scale was made for at step {}: {} of {} numbers "
      "became the largest of {}",
      first.name, first.excess(), step.step, first.beyond, first.count, first.format->name);
  const auto steps_of = std::count_if(steps.begin(), steps.end(), has_old_scale);
  if (cause.recovered && steps_of == 1) cause.text += "; the next step's scale fits";
  return cause;
}

Cause of_recomputation(const StepTrace& step) {
  return {.of = "recomputation",
          .step = step.step,
          .text = fmt::format("{} of {} recomputed activations have other bits at step {}",
                              step.changed, step.recomputed, step.step)};
}

}  // namespace

Cause cause_of(std::span<const StepTrace> steps, std::span<const Deviation> deviations,
               const Mode& mode) {
  if (!deviations.empty()) return of_deviation(deviations.front());
  for (const StepTrace& step : steps) {
    if (step.first_non_finite) return of_overflow(steps, step, mode);
    if (step.changed > 0) return of_recomputation(step);
    if (has_old_scale(step)) return of_old_scale(steps, step);
    // A loss of zero has no other gradients.
    if (step.loss != 0 && step.zero_share() > kMostZeros) return of_underflow(step);
    if (step.swallowed_share() > kMostSwallowed) return of_swallowed(step);
  }
  return {};
}

}  // namespace halfmark::tools::lab
