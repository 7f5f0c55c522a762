// SPDX-License-Identifier: Apache-2.0
// Mistakes that training steps have been seen to make, each evaluated on the whole step.
#include <fmt/format.h>

#include "suites/core/diagnose/mistakes.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using operators::LossScalerVariant;
using operators::TrainingVariant;

// In names and sentences {} stands for the format of activations and gradients.
constexpr MistakeRow<TrainingVariant> kProductRows[] = {
    {"{}-accumulation", "acc_narrow", "products of matrices accumulate in {}",
     [](TrainingVariant& v) { v.narrow_accumulator = true; }},
};

constexpr MistakeRow<TrainingVariant> kFp16Rows[] = {
    {"gradients-flushed", "ftz", "fp16 gradients below the normal range become zero",
     [](TrainingVariant& v) { v.flush_gradients = true; }},
};

constexpr MistakeRow<TrainingVariant> kBf16Rows[] = {
    {"through-fp16", "fmt_subst", "everything is rounded to fp16 before it is rounded to bf16",
     [](TrainingVariant& v) { v.casts_through_fp16 = v.products_through_fp16 = true; }},
    {"casts-through-fp16", "fmt_subst",
     "everything but matrix products is rounded to fp16 before it is rounded to bf16",
     [](TrainingVariant& v) { v.casts_through_fp16 = true; }},
};

constexpr MistakeRow<TrainingVariant> kBf16ProductRows[] = {
    {"products-through-fp16", "fmt_subst",
     "matrix products are rounded to fp16 before they are rounded to bf16",
     [](TrainingVariant& v) { v.products_through_fp16 = true; }},
};

constexpr MistakeRow<TrainingVariant> kScaledProductRows[] = {
    {"operands-not-in-8-bits", "fmt_subst",
     "products multiply operands of 16 bits, not those that were rounded to 8 bits",
     [](TrainingVariant& v) { v.scaled.multiplied_unrounded = true; }},
    {"gradients-in-e4m3fn", "fmt_subst", "gradients are rounded to e4m3fn instead of e5m2",
     [](TrainingVariant& v) { v.scaled.gradients_in_e4m3fn = true; }},
};

constexpr MistakeRow<TrainingVariant> kScaledRows[] = {
    {"truncated-to-8-bits", "cvt_round", "conversions to 8 bits round toward zero",
     [](TrainingVariant& v) { v.scaled.truncated = true; }},
    {"8-bits-flushed", "ftz", "subnormal numbers of 8 bits become zero",
     [](TrainingVariant& v) { v.scaled.flushed = true; }},
    {"not-saturated", "nan_inf", "conversions to 8 bits do not saturate infinities",
     [](TrainingVariant& v) { v.scaled.unsaturated = true; }},
    {"tensors-not-scaled", "amp_state", "tensors are brought to 8 bits without a scale",
     [](TrainingVariant& v) { v.scaled.unscaled = true; }},
    {"scales-are-powers-of-two", "amp_state", "scales of tensors are rounded down to powers of two",
     [](TrainingVariant& v) { v.scaled.powers_of_two = true; }},
    {"divided-by-scales", "formula",
     "sums are divided by the scales instead of multiplied by their inverses",
     [](TrainingVariant& v) { v.scaled.divided_by_scales = true; }},
    {"not-scaled-back", "amp_state", "products keep the scales of their operands",
     [](TrainingVariant& v) { v.scaled.not_scaled_back = true; }},
};

// An infinite gradient of a bias would be found: it does not pass through 8 bits.
constexpr MistakeRow<TrainingVariant> kScaledRowsWithoutBiases[] = {
    {"infinities-unnoticed", "amp_state",
     "infinities that 8 bits saturate are not found, and the step is taken",
     [](TrainingVariant& v) { v.scaled.infinities_unnoticed = true; }},
};

constexpr MistakeRow<TrainingVariant> kBiasRows[] = {
    {"bias-left-out", "formula", "the forward pass leaves the biases out",
     [](TrainingVariant& v) { v.bias_left_out = true; }},
    {"bias-after-rounding", "double_round", "sums are rounded to {} before the bias is added",
     [](TrainingVariant& v) { v.bias_after_rounding = true; }},
    {"bias-not-cast", "excess_precision", "biases are added in fp32 without being rounded to {}",
     [](TrainingVariant& v) { v.bias_not_cast = true; }},
    {"bias-sums-in-half", "acc_narrow", "gradients of biases add up in {}",
     [](TrainingVariant& v) { v.bias_sums_in_half = true; }},
    {"bias-averaged-twice", "formula",
     "gradients of biases are divided by the batch, although the loss is a mean already",
     [](TrainingVariant& v) { v.bias_averaged_twice = true; }},
    {"bias-unchecked", "amp_state", "gradients of biases are left out of the check",
     [](TrainingVariant& v) { v.bias_unchecked = true; }},
    {"bias-not-unscaled", "amp_state", "gradients of biases are not unscaled",
     [](TrainingVariant& v) { v.bias_not_unscaled = true; }},
    {"bias-kept", "formula", "biases stay as they are",
     [](TrainingVariant& v) { v.bias_kept = true; }},
};

constexpr MistakeRow<TrainingVariant> kRows[] = {
    {"casts-truncate", "cvt_round", "the weights are truncated to {}",
     [](TrainingVariant& v) { v.truncated_casts = true; }},
    {"squares-in-half", "acc_narrow", "the loss squares its terms in {}",
     [](TrainingVariant& v) { v.squares_in_half = true; }},
    {"factor-in-half", "acc_narrow", "the mean's factor 2/N is formed in {}",
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
    {"weights-in-half", "acc_narrow", "there are no master weights: updates round to {}",
     [](TrainingVariant& v) { v.weights_in_half = true; }},
    {"scale-not-backed-off", "amp_state", "the scale stays after an overflow",
     [](TrainingVariant& v) { v.scaler.scale_not_backed_off = true; }},
    {"growth-kept-on-overflow", "amp_state", "the count of clean steps survives an overflow",
     [](TrainingVariant& v) { v.scaler.growth_kept_on_overflow = true; }},
    {"grows-one-step-late", "amp_state", "the scale grows one step after its interval",
     [](TrainingVariant& v) { v.scaler.grows_one_step_late = true; }},
};

using HadProducts = std::shared_ptr<const operators::TrainingProducts>;

// Operations alone: kernels load and store subnormals on every interface.
models::Machine flushing(soft::Subnormals subnormals) {
  models::Machine machine = models::uniform_machine({.subnormals = subnormals});
  machine.convert = {};
  return machine;
}

// What an interface may leave open to a library's products and to the kernels around them, whose
// operations meet subnormals in the fill `faint` alone.
void add_flushes(std::vector<Hypothesis>& list, const HadProducts& products, bool is_faint) {
  using soft::Subnormals;
  const auto add = [&](std::string name, FindingClassName finding_class, std::string sentence,
                       const Surroundings& around, std::vector<std::string> freedoms,
                       std::vector<std::string> implied = {}) {
    list.push_back({.name = std::move(name),
                    .finding_class = finding_class,
                    .sentence = std::move(sentence),
                    .evaluate =
                        [products, around](const Case& c, const TensorSet& inputs) {
                          return expect_beside(c, inputs, *products, around);
                        },
                    .freedoms = std::move(freedoms),
                    .implies = std::move(implied)});
  };
  add("products-flush-results", "ftz_out", "matrix products flush subnormal results to zero",
      {.products = Flushes::kResults}, {"conversion_subnormals"});
  add("products-flush-subnormals", "ftz",
      "matrix products flush subnormal operands or results to zero",
      {.products = Flushes::kOperandsAndResults}, {"operation_subnormals", "conversion_subnormals"},
      {"products-flush-results"});
  if (!is_faint) return;
  add("kernels-flush-operands", "ftz_in",
      "operations around the products flush subnormal operands to zero",
      {.machine = flushing(Subnormals::kFlushIn)}, {"operation_subnormals"});
  add("kernels-flush-results", "ftz_out",
      "operations around the products flush subnormal results to zero",
      {.machine = flushing(Subnormals::kFlushOut)}, {"operation_subnormals"});
  add("kernels-flush-subnormals", "ftz",
      "operations around the products flush subnormal operands and results to zero",
      {.machine = flushing(Subnormals::kFlush)}, {"operation_subnormals"},
      {"kernels-flush-operands", "kernels-flush-results"});
}

std::string in_format(std::string_view text, const formats::Format& format) {
  std::string result(text);
  if (const auto at = result.find("{}"); at != std::string::npos)
    result.replace(at, 2, format.name);
  return result;
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c, const HadProducts& products) {
  const Binding b = bind(c);
  std::vector<Hypothesis> list;
  const auto add = [&](const auto& rows) {
    const auto evaluated = [products](const Case& of, const TensorSet& inputs,
                                      const TrainingVariant& variant) -> Expectation {
      if (products != nullptr) return expect_beside(of, inputs, *products, {.variant = variant});
      return {outputs_of(bind(of), evaluate(of, inputs, models::Machine{}, variant))};
    };
    for (Hypothesis& h : mistakes_of(rows, evaluated)) {
      h.name = in_format(h.name, b.half());
      h.sentence = in_format(h.sentence, b.half());
      list.push_back(std::move(h));
    }
  };
  const bool is_fp16 = b.half() == formats::kFp16;
  if (products == nullptr) add(kProductRows);
  if (is_fp16) add(kFp16Rows);
  if (!is_fp16) add(kBf16Rows);
  if (!is_fp16 && products == nullptr) add(kBf16ProductRows);
  add(kRows);
  if (b.problem.has_biases) add(kBiasRows);
  if (b.problem.has_scaled_products && products == nullptr) add(kScaledProductRows);
  if (b.problem.has_scaled_products) add(kScaledRows);
  if (b.problem.has_scaled_products && !b.problem.has_biases) add(kScaledRowsWithoutBiases);
  if (products != nullptr) add_flushes(list, products, b.fill == "faint");
  return list;
}

}  // namespace halfmark::suites::loss_scaled_backward
