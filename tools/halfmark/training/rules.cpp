// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/halfmark/training/conditions.hpp"

namespace halfmark::tools {
namespace {

using enum Gravity;
using enum Stage;

constexpr std::string_view kStudy = "study", kGuide = "guide", kStrict = "strict";
constexpr std::string_view kProfiles[] = {kStudy, kGuide, kStrict};

// About what a scorecard says of the device.
constexpr Rule of_device(Rule rule) {
  rule.of_device = true;
  return rule;
}

constexpr double kHalfOfLeastFp16 = 0x1p-25, kOverflowOfFp16 = 65520;
constexpr double kOnesOfFp16 = 2048;    // 2049 lies between two numbers of fp16
constexpr double kMeanOfFp16 = 0x1p26;  // 2 / N is then half of the least number
constexpr double kUnitOfProducts = 8;   // extents of which matrix units read whole rows

constexpr std::array kRules = {
    Rule{"model.wide-operator-narrow", kModel, kWarning, 0, "R025 R038",
         "an operator that frameworks keep in fp32 runs in a narrow format",
         "leave the choice to automatic mixed precision, or cast its operands to fp32",
         runs_wide_operator_narrow},
    Rule{"model.refused-operator", kModel, kFailure, 0, "R025 R038",
         "an operator is used that automatic mixed precision refuses",
         "use the form that takes logits", runs_refused_operator},
    of_device({"model.wrong-on-device", kModel, kFailure, 0, "R038",
               "the scorecard has violations of these operators, in these formats",
               "read `halfmark explain` of that card before training on this device",
               runs_operator_that_is_wrong}),
    of_device(
        {"model.deviates-on-device", kModel, kWarning, 0, "R038",
         "the scorecard has deviations of these operators, in these formats",
         "`halfmark explain` says what the interface leaves open; compare a training with fp32",
         runs_operator_that_deviates}),
    of_device({"model.emulated-on-device", kModel, kWarning, 0, "R008 R038",
               "the device computes an operator in fp16 on wider units",
               "expect no gain from fp16 there; use bf16 or fp32 if the device has units for them",
               runs_emulated_operator}),
    Rule{"model.untested-operator", kModel, kNote, 0, "R038",
         "no suite asserts an operator that the model uses, so the scorecard says nothing of it",
         "compare its results with fp32 once", runs_untested_operator},
    Rule{"model.sum-sticks", kModel, kWarning, kOnesOfFp16, "R014 R024",
         "an fp16 sum has more than 2048 terms: a running sum of ones stops there", "add in fp32",
         adds_too_much_in_fp16},
    Rule{"model.mean-gradient-lost", kModel, kFailure, kMeanOfFp16, "R022",
         "a loss in fp16 is a mean of 2^26 elements or more: 2 / N is zero, and so is its gradient",
         "compute the loss in fp32", averages_too_many},
    Rule{"model.ragged-product", kModel, kNote, kUnitOfProducts, "R013",
         "an extent of a product in 16 bits is no multiple of 8, so that units may be left idle",
         "pad it", multiplies_ragged},
    Rule{"model.classifier-narrow", kModel, kNote, 0, "R066",
         "the last product before the loss runs in a narrow format", "keep the classifier in fp32",
         classifies_narrow},
    Rule{"model.batch-norm-narrow", kModel, kWarning, 0, "R063",
         "batch normalisation runs in a narrow format", "keep its statistics in fp32",
         normalises_batches_narrow},
    Rule{"model.halved-by-hand", kModel, kWarning, 0, "R041",
         "all parameters were converted by hand, so that no fp32 copy takes the updates",
         "use automatic mixed precision, which keeps fp32 weights", was_halved_by_hand},
    Rule{"model.prefer-bf16", kModel, kNote, 0, "R041", "the device has bf16, and fp16 is used",
         "bf16 needs no loss scale", prefers_fp16_needlessly},
    Rule{"model.reinforcement-in-bf16", kModel, kWarning, 0, "R041 R043",
         "reinforcement learning in bf16, whose 8 bits let training and inference drift apart",
         "prefer fp16 there", reinforces_in_bf16},
    Rule{"model.two-formats", kModel, kWarning, 0, "R043",
         "training and inference compute in different formats",
         "use one format on both sides, and watch how far their probabilities are apart",
         infers_in_another_format},
    Rule{"model.no-clip", kModel, kNote, 0, "R063", "gradients are not clipped",
         "clip them after unscaling, usually to a norm of 1", never_clips},
    Rule{
        "model.epsilon-lost", kModel, kFailure, kHalfOfLeastFp16, "R026",
        "the optimizer's epsilon is zero in the format of its state, so that it may divide by zero",
        "keep the state in fp32; no framework raises the epsilon by itself", loses_its_epsilon},
    Rule{"model.second-moment-lost", kModel, kWarning, 0, "R026 R029",
         "the second moment is in fp16, where the square of a gradient below 2^-12.5 is zero",
         "keep the state in fp32", keeps_second_moment_narrow},
    Rule{"model.no-scaler", kModel, kWarning, 0, "R022 R090",
         "fp16 is used without a loss scale, so that gradients below 2^-25 vanish",
         "add a loss scaler, or use bf16", is_unscaled_in_fp16},
    Rule{"model.scaler-needless", kModel, kNote, 0, "R015 R058",
         "bf16 has the range of fp32, and gains nothing from a loss scale", "leave it out",
         is_scaled_in_bf16},
    Rule{"model.scale-starts-low", kModel, kNote, 1024, "R032 R097",
         "the loss scale starts below 1024", "32768 to 65536 is healthy; start large",
         starts_below},
    Rule{"model.scale-starts-high", kModel, kNote, 65536, "R032 R097",
         "the loss scale starts above 65536, so that the first steps may all be skipped",
         "32768 to 65536 is healthy", starts_above},
    Rule{"model.clips-before-unscaling", kModel, kFailure, 0, "R092 R098",
         "scaled gradients are clipped, so that the limit depends on the scale",
         "clip after unscaling", clips_before_unscaling},

    Rule{"data.beyond-fp16", kData, kWarning, kOverflowOfFp16, "R042",
         "the data has values that are infinite in fp16", "normalise the data", has_data_beyond},

    Rule{"loss.not-finite", kSteps, kFailure, 0, "R005 R041",
         "a step was made although the loss is NaN or infinite",
         "stop, or skip such steps: what is made of such a loss means nothing", has_lost_its_loss},
    Rule{"norm.not-finite", kSteps, kFailure, 0, "R005 R041",
         "a step was made although the norm of the gradients is NaN or infinite",
         "skip such steps, as loss scalers do", steps_on_non_finite},
    Rule{"norm.zero", kSteps, kWarning, 0, "R005", "the gradients are all zero",
         "scale the loss, or a higher scale; see `halfmark ref gradients`", has_no_gradient},
    Rule{"loss.unstable", kSteps, kWarning, 10, "R065",
         "one of the last 50 losses is more than 10 times the least of them",
         "lower the learning rate, or warm up for longer", is_unstable},
    Rule{"norm.explodes", kSteps, kWarning, 100, "R035", "the norm of the gradients exceeds 100",
         "clip, or lower the learning rate", norm_above, kStudy},
    Rule{"norm.vanishes", kSteps, kWarning, 0.001, "R035",
         "the norm of the gradients is below 0.001", "scale the loss; look at each layer",
         norm_below, kStudy},
    Rule{"norm.high", kSteps, kNote, 10, "R035 R041", "the norm of the gradients exceeds 10",
         "0.1 to 10 is healthy", norm_above, kStudy},
    Rule{"norm.low", kSteps, kNote, 0.1, "R035 R041", "the norm of the gradients is below 0.1",
         "0.1 to 10 is healthy", norm_below, kStudy},
    Rule{"mismatch.large", kSteps, kWarning, 0.001, "R027 R043",
         "the probabilities of training and inference diverge by more than 0.001",
         "rounding in bf16 explains about 10^-5 (`halfmark ref mismatch`); use one format on both "
         "sides, prefer fp16, and compare the operators of both",
         diverges_above},
    Rule{"layer.large", kSteps, kWarning, 1e4, "R057", "the norm of a layer exceeds 10^4", "clip",
         layer_norm_above, kGuide},
    Rule{"layer.small", kSteps, kWarning, 1e-7, "R057", "the norm of a layer is below 10^-7",
         "scale the loss", layer_norm_below, kGuide},
    Rule{"norm.large", kSteps, kWarning, 10, "R067", "the norm of the gradients exceeds 10", "clip",
         norm_above, kStrict},

    Rule{"scale.operator", kScale, kFailure, 1, "R007",
         "gradients are not finite although the scale is 1 or less: no scale helps any more",
         "an operator of the driver may be wrong: run `halfmark run` on the device",
         overflows_at_scale_fallen_to},
    Rule{"scale.stuck", kScale, kFailure, 1, "R032",
         "the scale was 1 or less for 100 steps and does not rise",
         "the training gains nothing from scaling; find what overflows", scale_stays_at_most},
    Rule{"scale.low", kScale, kWarning, 1024, "R032", "the scale is below 1024",
         "32768 to 65536 is healthy; start there, or find what overflows", scale_below},
    Rule{"scale.below-10000", kScale, kNote, 10000, "R041", "the scale is below 10,000",
         "32768 to 65536 is healthy", scale_below},
    Rule{"overflow.often", kScale, kWarning, 0.01, "R036 R096",
         "more than 1 % of the steps overflow", "lower the learning rate, or the scale's start",
         overflow_rate_above},
    Rule{"overflow.steady", kScale, kNote, 0.0001, "R096", "more than 0.01 % of the steps overflow",
         "a scaler at its ceiling overflows once in an interval of 2000, which is 0.05 %",
         overflow_rate_above},
    Rule{"overflow.rising", kScale, kWarning, 0, "R036",
         "the second half of the training overflows more often than the first",
         "it may not end well: save more often, lower the learning rate", overflows_more_and_more},

    Rule{"layer.underflow", kGradients, kWarning, 0.05, "R022 R077",
         "more than 5 % of a layer's gradients became zero",
         "raise the scale; `halfmark ref gradients` says how far", loses_share_above},
};

const LayerRecord* first_layer(const StepRecord& step, bool (*is_dead)(const LayerRecord&)) {
  const auto found = std::find_if(step.layers.begin(), step.layers.end(), is_dead);
  return found == step.layers.end() ? nullptr : &*found;
}

Death death_at(const StepRecord& step, std::string_view of, bool (*is_dead)(const LayerRecord&)) {
  const LayerRecord* layer = first_layer(step, is_dead);
  return {.of = of, .step = step.step, .layer = layer != nullptr ? layer->name : std::string()};
}

constexpr std::string_view kOverflow = "overflow", kUnderflow = "underflow", kOperator = "operator";

bool is_known_finite(const std::optional<double>& value) { return value && std::isfinite(*value); }

bool has_lost_a_number(const StepRecord& step) {
  return (step.loss && !is_known_finite(step.loss)) || (step.norm && !is_known_finite(step.norm));
}

// Whether a step shows that the training went on after what looked like its death.
bool survives(const StepRecord& step, std::string_view death) {
  if (death == kUnderflow) return step.norm && *step.norm != 0;
  if (death == kOverflow) return is_known_finite(step.loss) || is_known_finite(step.norm);
  return !step.skipped && !has_lost_a_number(step);
}

bool overflowed(const LayerRecord& layer) { return layer.norm && !std::isfinite(*layer.norm); }
bool underflowed(const LayerRecord& layer) {
  return (layer.norm && *layer.norm == 0) || (layer.lost_share && *layer.lost_share == 1);
}

}  // namespace

std::span<const Rule> training_rules() { return kRules; }
std::span<const std::string_view> norm_profiles() { return kProfiles; }

std::vector<Applied> apply_rules(const Observed& observed, std::string_view profile) {
  std::vector<Applied> list;
  for (const Rule& rule : kRules) {
    if (!rule.profile.empty() && rule.profile != profile) continue;
    if (auto hit = rule.applies(observed, rule.threshold)) {
      list.push_back({.rule = &rule, .hit = std::move(*hit)});
    }
  }
  return list;
}

Death death_of(const TrainingLog& log) {
  Death death;
  bool was_scaled = false;
  for (const StepRecord& step : log.steps) {
    was_scaled = was_scaled || (step.scale && *step.scale > 1);
    if (survives(step, death.of)) death = {};
    if (!death.of.empty()) continue;
    const bool has_fallen = was_scaled && step.scale && *step.scale <= 1;
    if (has_fallen && (step.skipped || has_lost_a_number(step)))
      death = death_at(step, kOperator, overflowed);
    else if (!step.skipped && has_lost_a_number(step))
      death = death_at(step, kOverflow, overflowed);
    else if (step.norm && *step.norm == 0)
      death = death_at(step, kUnderflow, underflowed);
  }
  // The last step is held to what would end a death in a later one.
  const bool is_certain = !log.steps.empty() && !survives(log.steps.back(), death.of);
  return is_certain ? death : Death{};
}

std::span<const StepRecord> early_steps(const TrainingLog& log) {
  const auto end = std::ranges::find_if(
      log.steps, [](const StepRecord& step) { return step.step >= kEarlySteps; });
  return {log.steps.begin(), end};
}

const StepRecord* last_with_layers(const TrainingLog& log) {
  const auto found = std::find_if(log.steps.rbegin(), log.steps.rend(),
                                  [](const StepRecord& step) { return !step.layers.empty(); });
  return found == log.steps.rend() ? nullptr : &*found;
}

Figures figures_of(std::span<const StepRecord> steps) {
  Figures figures{.steps = steps.size()};
  for (const StepRecord& step : steps) {
    if (step.skipped) ++figures.skipped;
    if (step.norm && !step.skipped && !std::isnan(*step.norm)) {
      figures.least_norm = std::min(figures.least_norm.value_or(*step.norm), *step.norm);
      figures.largest_norm = std::max(figures.largest_norm.value_or(*step.norm), *step.norm);
    }
    if (step.loss) {
      if (!figures.first_loss) figures.first_loss = step.loss;
      figures.last_loss = step.loss;
    }
    if (!step.scale) continue;
    figures.least_scale = std::min(figures.least_scale.value_or(*step.scale), *step.scale);
    figures.largest_scale = std::max(figures.largest_scale.value_or(*step.scale), *step.scale);
    figures.last_scale = step.scale;
  }
  return figures;
}

std::string_view word_of(Gravity gravity) {
  constexpr std::string_view kWords[] = {"note", "warning", "failure"};
  return kWords[static_cast<std::size_t>(gravity)];
}

std::string_view word_of(Stage stage) {
  constexpr std::string_view kWords[] = {"model", "data", "steps", "scale", "gradients"};
  return kWords[static_cast<std::size_t>(stage)];
}

}  // namespace halfmark::tools
