// SPDX-License-Identifier: Apache-2.0
// Mistakes that loss scalers have been seen to make, each evaluated on the whole script.
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using Check = operators::LossScalerVariant::Check;
using Unscale = operators::LossScalerVariant::Unscale;

constexpr MistakeRow<TraceVariant> kRows[] = {
    {"check-missing", "amp_state", "non-finite gradients are not looked for",
     [](TraceVariant& v) { v.scaler.check = Check::kNever; }},
    {"check-misses-nan", "nan_dropped", "the check sees infinities only",
     [](TraceVariant& v) { v.scaler.check = Check::kMissesNan; }},
    {"check-misses-infinity", "nan_inf", "the check sees NaN only",
     [](TraceVariant& v) { v.scaler.check = Check::kMissesInfinity; }},
    {"check-misses-tail", "amp_state", "the check stops at the last multiple of eight",
     [](TraceVariant& v) { v.scaler.check = Check::kMissesTail; }},
    {"check-sums-in-half", "overflow", "the check looks at the fp16 sum of the gradients",
     [](TraceVariant& v) { v.scaler.check = Check::kHalfSum; }},
    {"unscaled-in-half", "underflow", "gradients are unscaled in fp16",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kInHalf; }},
    {"unscaled-twice", "amp_state", "gradients are unscaled twice",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kTwice; }},
    {"not-unscaled", "amp_state", "gradients are not unscaled",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kNever; }},
    {"unscaled-by-division", "amp_state",
     "gradients are divided by the scale instead of multiplied by its reciprocal",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kDivides; }},
    {"unscaled-by-reciprocal", "amp_state",
     "gradients are multiplied by the reciprocal of the scale instead of divided by it",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kMultiplies; }},
    {"reciprocal-low", "low_precision",
     "the reciprocal of the scale is one unit in the last place too small",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kReciprocalIsLow; }},
    {"reciprocal-high", "low_precision",
     "the reciprocal of the scale is one unit in the last place too large",
     [](TraceVariant& v) { v.scaler.unscale = Unscale::kReciprocalIsHigh; }},
    {"flag-never-cleared", "amp_state", "the flag of an overflow is never cleared",
     [](TraceVariant& v) { v.flag_never_cleared = true; }},
    {"grows-to-infinity", "overflow", "the scale grows past its limit, to infinity",
     [](TraceVariant& v) { v.scaler.grows_to_infinity = true; }},
    {"no-floor", "underflow", "the scale falls below its floor",
     [](TraceVariant& v) { v.scaler.has_no_floor = true; }},
    {"no-hysteresis", "amp_state", "the scale falls at the first overflow",
     [](TraceVariant& v) { v.scaler.has_no_hysteresis = true; }},
    {"growth-kept-on-overflow", "amp_state", "the count of clean steps survives an overflow",
     [](TraceVariant& v) { v.scaler.growth_kept_on_overflow = true; }},
    {"grows-one-step-late", "amp_state", "the scale grows one step after its interval",
     [](TraceVariant& v) { v.scaler.grows_one_step_late = true; }},
    {"step-not-skipped", "amp_state", "the weights move although a gradient is not finite",
     [](TraceVariant& v) { v.scaler.step_not_skipped = true; }},
    {"scale-not-backed-off", "amp_state", "the scale stays after an overflow",
     [](TraceVariant& v) { v.scaler.scale_not_backed_off = true; }},
    {"scale-truncated", "rounding", "the new scale is rounded towards zero",
     [](TraceVariant& v) { v.scale_truncated = true; }},
    {"factors-in-double", "excess_precision",
     "the scale is multiplied by factors that are not rounded to fp32",
     [](TraceVariant& v) { v.factors_in_double = true; }},
    {"falls-by-reciprocal", "amp_state",
     "the scale is multiplied by the reciprocal of the growth factor instead of divided by it",
     [](TraceVariant& v) { v.falls_by_reciprocal = true; }},
    {"two-flags-are-none", "amp_state",
     "the weights move where two devices overflow: the sum of their flags is compared with 1",
     [](TraceVariant& v) { v.scaler.skips_on_one_flag_only = true; }},
    {"restore-drops-steps", "amp_state", "a restored state has lost its count of clean steps",
     [](TraceVariant& v) { v.restore_drops_clean_steps = true; }},
    {"restore-drops-hysteresis", "amp_state", "a restored state has its hysteresis filled again",
     [](TraceVariant& v) { v.restore_drops_hysteresis = true; }},
    {"not-clipped", "formula", "gradients are not clipped",
     [](TraceVariant& v) { v.never_clips = true; }},
    {"clipped-before-unscaling", "order", "gradients are clipped before they are unscaled",
     [](TraceVariant& v) { v.clips_before_unscaling = true; }},
    {"clipped-by-scaled-norm", "order",
     "the limit is compared with the norm of the gradients before they are unscaled",
     [](TraceVariant& v) { v.clips_by_scaled_norm = true; }},
    {"clipped-by-half-norm", "overflow", "the norm is computed in fp16",
     [](TraceVariant& v) { v.clips_by_half_norm = true; }},
};

}  // namespace

std::vector<Hypothesis> hypotheses() {
  return mistakes_of(kRows,
                     [](const Case& c, const TensorSet& inputs, const TraceVariant& variant) {
                       return traced(bind(c), inputs, models::Machine{}, variant);
                     });
}

}  // namespace halfmark::suites::loss_scaling
