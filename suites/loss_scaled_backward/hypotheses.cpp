// SPDX-License-Identifier: Apache-2.0
// Mistakes that training steps have been seen to make, each evaluated on the whole step.
#include <fmt/format.h>

#include "suites/core/diagnose/mistakes.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using operators::LossScalerVariant;
using operators::TrainingVariant;

constexpr MistakeRow<TrainingVariant> kRows[] = {
    {"fp16-accumulation", "acc_narrow", "products of matrices accumulate in fp16",
     [](TrainingVariant& v) { v.narrow_accumulator = true; }},
    {"gradients-flushed", "ftz", "fp16 gradients below the normal range become zero",
     [](TrainingVariant& v) { v.flush_gradients = true; }},
    {"casts-truncate", "cvt_round", "the weights are truncated to fp16",
     [](TrainingVariant& v) { v.truncated_casts = true; }},
    {"squares-in-half", "acc_narrow", "the loss squares its terms in fp16",
     [](TrainingVariant& v) { v.squares_in_half = true; }},
    {"factor-in-half", "acc_narrow", "the mean's factor 2/N is formed in fp16",
     [](TrainingVariant& v) { v.factor_in_half = true; }},
    {"scale-in-half", "amp_state", "the scale is rounded to fp16",
     [](TrainingVariant& v) { v.scale_in_half = true; }},
    {"check-missing", "amp_state", "non-finite gradients are not looked for",
     [](TrainingVariant& v) { v.scaler.check = LossScalerVariant::Check::kNever; }},
    {"check-misses-nan", "nan_inf", "the check sees infinities only",
     [](TrainingVariant& v) { v.scaler.check = LossScalerVariant::Check::kMissesNan; }},
    {"check-misses-infinity", "nan_inf", "the check sees NaN only",
     [](TrainingVariant& v) { v.scaler.check = LossScalerVariant::Check::kMissesInfinity; }},
    {"check-misses-tail", "amp_state", "the check stops at the last multiple of eight",
     [](TrainingVariant& v) { v.scaler.check = LossScalerVariant::Check::kMissesTail; }},
    {"unscaled-in-half", "amp_state", "gradients are unscaled in fp16",
     [](TrainingVariant& v) { v.scaler.unscale = LossScalerVariant::Unscale::kInHalf; }},
    {"unscaled-twice", "amp_state", "gradients are unscaled twice",
     [](TrainingVariant& v) { v.scaler.unscale = LossScalerVariant::Unscale::kTwice; }},
    {"not-unscaled", "amp_state", "gradients are not unscaled",
     [](TrainingVariant& v) { v.scaler.unscale = LossScalerVariant::Unscale::kNever; }},
    {"unscaled-by-division", "amp_state",
     "gradients are divided by the scale instead of multiplied by its reciprocal",
     [](TrainingVariant& v) { v.scaler.unscale = LossScalerVariant::Unscale::kDivides; }},
    {"step-not-skipped", "amp_state", "the weights move although a gradient is not finite",
     [](TrainingVariant& v) { v.scaler.step_not_skipped = true; }},
    {"step-unfused", "contraction", "rate * gradient is rounded before it is subtracted",
     [](TrainingVariant& v) { v.step_unfused = true; }},
    {"weights-in-half", "acc_narrow", "there are no master weights: updates round to fp16",
     [](TrainingVariant& v) { v.weights_in_half = true; }},
    {"scale-not-backed-off", "amp_state", "the scale stays after an overflow",
     [](TrainingVariant& v) { v.scaler.scale_not_backed_off = true; }},
    {"growth-kept-on-overflow", "amp_state", "the count of clean steps survives an overflow",
     [](TrainingVariant& v) { v.scaler.growth_kept_on_overflow = true; }},
    {"grows-one-step-late", "amp_state", "the scale grows one step after its interval",
     [](TrainingVariant& v) { v.scaler.grows_one_step_late = true; }},
};

}  // namespace

std::vector<Hypothesis> hypotheses(const Case&) {
  return mistakes_of(kRows,
                     [](const Case& c, const TensorSet& inputs, const TrainingVariant& variant) {
                       return outputs_of(evaluate(c, inputs, models::Machine{}, variant));
                     });
}

}  // namespace halfmark::suites::loss_scaled_backward
