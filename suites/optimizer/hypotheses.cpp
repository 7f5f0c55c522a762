// SPDX-License-Identifier: Apache-2.0
// Mistakes that optimizers have been seen to make, each evaluated on the whole script.
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::suites::optimizer {
namespace {

constexpr MistakeRow<TraceVariant> kRows[] = {
    {"epsilon-in-half", "eps_lost", "epsilon is rounded to fp16, where 1e-8 is zero",
     [](TraceVariant& v) { v.optimizer.epsilon_in_half = true; }},
    {"epsilon-inside-root", "formula", "epsilon is added before the root is taken",
     [](TraceVariant& v) { v.optimizer.epsilon_inside_root = true; }},
    {"second-in-half", "underflow", "the second moment is kept in fp16",
     [](TraceVariant& v) { v.optimizer.second_in_half = true; }},
    {"weights-in-half", "acc_narrow", "weights are kept in fp16, without a master copy in fp32",
     [](TraceVariant& v) { v.optimizer.weights_in_half = true; }},
    {"no-bias-correction", "formula", "the moments are not corrected for their start at zero",
     [](TraceVariant& v) { v.optimizer.no_bias_correction = true; }},
    {"decay-in-gradient", "formula", "the decay is added to the gradient instead of to the weights",
     [](TraceVariant& v) { v.optimizer.decay_coupled = true; }},
    {"skipped-steps-counted", "amp_state", "a skipped step advances the count of steps",
     [](TraceVariant& v) { v.optimizer.counts_skipped = true; }},
    {"step-not-skipped", "amp_state", "the weights move although a gradient is not finite",
     [](TraceVariant& v) { v.never_skips = true; }},
    {"cast-without-tape", "amp_state",
     "a cast that an evaluation has made without a tape is used again, so that the step has no "
     "gradient",
     [](TraceVariant& v) { v.reuses_cast_without_tape = true; }},
    {"cast-not-renewed", "amp_state", "the narrow weights stay as they were before the first step",
     [](TraceVariant& v) { v.never_renews_cast = true; }},
    {"not-fused", "contraction", "products are rounded before they are added",
     [](TraceVariant& v) { v.is_fused = false; }},
};

}  // namespace

std::vector<Hypothesis> hypotheses() {
  return mistakes_of(kRows,
                     [](const Case& c, const TensorSet& inputs, const TraceVariant& variant) {
                       return traced(bind(c), inputs, models::Machine{}, variant);
                     });
}

}  // namespace halfmark::suites::optimizer
