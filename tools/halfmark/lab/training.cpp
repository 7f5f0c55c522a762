// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "reference/fast/convert.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/operators/perceptron.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

Bits power_of_two(int exponent) { return soft::ldexp(kFp32, 0x3f800000, exponent).bits; }

// A power of two in the format of a scaler's settings.
int log2_of(Bits fp32) { return std::ilogb(fp32_number(fp32)); }

// Adds those of one tensor.
void count_updates(const Tensor& before, const Tensor& after, const Tensor& gradients,
                   StepTrace& trace) {
  using Word = std::uint32_t;  // all three are fp32
  constexpr Word kSign = 0x80000000U;
  constexpr std::size_t kPart = 1 << 16;
  std::atomic<std::uint64_t> updates = 0, swallowed = 0;
  const std::size_t count = gradients.count();
  fast::for_each_part((count + kPart - 1) / kPart, 0, fast::Direction::kNearEven,
                      [&](std::size_t part) {
                        std::uint64_t moving = 0, lost = 0;
                        const std::size_t end = std::min(count, (part + 1) * kPart);
                        for (std::size_t i = part * kPart; i < end; ++i) {
                          if ((gradients.word_at<Word>(i) & ~kSign) == 0) continue;
                          ++moving;
                          if (before.word_at<Word>(i) == after.word_at<Word>(i)) ++lost;
                        }
                        updates += moving;
                        swallowed += lost;
                      });
  trace.updates += updates;
  trace.swallowed += swallowed;
}

operators::LossScaler scaler_of(const Mode& mode) {
  const operators::LossScalerProfile* profile = operators::find_loss_scaler_profile(mode.scaler);
  operators::LossScaler scaler{.profile = profile, .settings = profile->defaults};
  scaler.settings.scale = soft::convert(kFp32, formats::kFp64, power_of_two(mode.scale)).bits;
  if (mode.growth_interval > 0) scaler.settings.growth_interval = mode.growth_interval;
  return scaler;
}

// The share of rows whose greatest output is that of their label; a NaN is never the greatest.
double accuracy_of(const Tensor& outputs, const Tensor& labels) {
  const std::size_t width = outputs.count() / labels.count();
  std::size_t right = 0;
  for (std::size_t row = 0; row < labels.count(); ++row) {
    const double own = fp32_number(outputs.at(row * width + labels.at(row)));
    bool is_greatest = true;
    for (std::size_t i = 0; i < width; ++i) {
      const bool is_less = fp32_number(outputs.at(row * width + i)) < own;
      is_greatest = is_greatest && (i == labels.at(row) || is_less);
    }
    right += is_greatest ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(labels.count());
}

}  // namespace

// What the backward pass takes of a layer.
struct Training::Pass {
  Tensor input, weights;
  Tensor sums = {}, activated = {}, mask = {};
};

struct Training::Parameter {
  std::string name;
  Tensor* values;
  Tensor gradient = {};  // as stored, then unscaled, then clipped
};

Training::Training(const Design& design, const Size& size, const Mode& mode, Network network,
                   std::uint64_t seed)
    : design_(design),
      size_(size),
      mode_(mode),
      n_(std::move(network)),
      seed_(seed),
      scaler_(scaler_of(mode)),
      state_(operators::initial_state(scaler_)) {
  state_.scale = power_of_two(mode.scale);
  if (mode.fp8 != nullptr) scales_.emplace(*mode.fp8);
  for (std::size_t i = 0; i < design.layers.size(); ++i) {
    for (Tensor* values : {&n_.weights[i], &n_.biases[i]}) {
      if (mode.narrow_weights) *values = fast::convert(fast::convert(*values, *mode.format), kFp32);
      const Tensor zeros = Tensor::zeros(kFp32, values->count());
      if (design.adam != nullptr) moments_.emplace_back(zeros, zeros);
    }
  }
}

const Batch& Training::batch_of(const StepTrace& trace) const {
  return n_.batches[trace.step % n_.batches.size()];
}

Tensor Training::inputs_of(const StepTrace& trace) const {
  Tensor x = batch_of(trace).x;
  if (mode_.jump == 0 || trace.step < kJumpStep) return x;
  for (std::size_t i = 0; i < x.count(); ++i)
    x.set(i, soft::ldexp(kFp32, x.at(i), mode_.jump).bits);
  return x;
}

// Returns the outputs in fp32.
Tensor Training::forward(Step& step, std::vector<Pass>& passes, const StepTrace& trace,
                         bool drops) const {
  Tensor x = fast::convert(inputs_of(trace), *mode_.format);
  for (std::size_t i = 0; i < design_.layers.size(); ++i)
    passes.push_back(
        {.input = {}, .weights = step.cast(fmt::format("W{} narrow", i + 1), n_.weights[i])});
  for (std::size_t i = 0; i < design_.layers.size(); ++i) {
    const Layer& layer = design_.layers[i];
    Pass& pass = passes[i];
    pass.input = std::move(x);
    pass.sums = step.linear(std::string(layer.sums), pass.input, pass.weights, n_.biases[i]);
    x = pass.sums;
    if (layer.activated.empty()) continue;
    pass.activated = step.activated(design_.activation, std::string(layer.activated), pass.sums);
    x = pass.activated;
    if (layer.dropped.empty() || !drops) continue;
    pass.mask = dropout_mask(x.count(), seed_, trace.step, i);
    x = step.masked(std::string(layer.dropped), x, pass.mask);
  }
  return fast::convert(x, kFp32);
}

void Training::measure(Step& step, const Tensor& outputs, StepTrace& trace) const {
  const Tensor& t = batch_of(trace).t;
  const bool is_classifier = design_.loss == Loss::kCrossEntropy;
  const Tensor loss = step.run(
      {.kind = is_classifier ? Kind::kCrossEntropy : Kind::kLoss, .tensor = "loss", .to = &kFp32},
      {&outputs, &t});
  trace.loss = fp32_number(loss.at(0));
  if (is_classifier) trace.accuracy = accuracy_of(outputs, t);
}

// As with checkpoints of activations: the first pass has kept neither sums nor activations.
void Training::recompute(const Engine& engine, Pass& first, StepTrace& trace) const {
  StepTrace aside;
  Step again(mode_, size_.batch, engine, aside);
  const auto keep = [&trace](Tensor& before, Tensor after) {
    trace.recomputed += before.count();
    for (std::size_t i = 0; i < before.count(); ++i)
      trace.changed += before.at(i) != after.at(i) ? 1U : 0U;
    before = std::move(after);
  };
  const Layer& layer = design_.layers[0];
  keep(first.sums,
       again.linear(std::string(layer.sums) + " again", first.input, first.weights, n_.biases[0]));
  keep(first.activated,
       again.activated(design_.activation, std::string(layer.activated) + " again", first.sums));
}

// Sets the gradients of the parameters, as stored.
void Training::backward(Step& step, const std::vector<Pass>& passes, const Tensor& outputs,
                        const StepTrace& trace, std::vector<Parameter>& parameters) const {
  const auto named = [](std::string_view tensor) { return "d" + std::string(tensor); };
  const Kind kind =
      design_.loss == Loss::kCrossEntropy ? Kind::kCrossEntropyGradient : Kind::kLossGradient;
  const std::string last = named(design_.layers.back().sums);
  const Tensor wide = step.run({.kind = kind,
                                .tensor = last + " fp32",
                                .to = &kFp32,
                                .scalar = power_of_two(trace.scale - size_.attenuation)},
                               {&outputs, &batch_of(trace).t}, Watch::kNo);
  Tensor gradient = step.cast(last, wide, Watch::kYes);
  for (std::size_t i = passes.size(); i-- > 0;) {
    Parameter& weights = parameters[2 * i];
    Parameter& bias = parameters[2 * i + 1];
    const std::string layer(design_.layers[i].sums);
    weights.gradient = step.weight_gradient(named(weights.name), layer, gradient, passes[i].input);
    bias.gradient = step.bias_gradient(named(bias.name), gradient);
    if (i == 0) break;
    const Layer& below = design_.layers[i - 1];
    const Pass& pass = passes[i - 1];
    const bool has_mask = !below.dropped.empty();
    gradient = step.input_gradient(named(has_mask ? below.dropped : below.activated), layer,
                                   gradient, passes[i].weights);
    if (has_mask) gradient = step.masked(named(below.activated), gradient, pass.mask);
    gradient = step.through_activation(design_.activation, named(below.sums), gradient, pass.sums);
  }
}

// Gives the flags of all strips.
Tensor Training::unscale(Step& step, std::vector<Parameter>& parameters,
                         const StepTrace& trace) const {
  Tensor flags = Tensor::zeros(kFp32, 0);
  for (Parameter& p : parameters) {
    std::vector<Tensor> results =
        step.run_all({.kind = Kind::kUnscale,
                      .tensor = "unscaled " + p.name,
                      .to = &kFp32,
                      .scalar = power_of_two(size_.attenuation - trace.scale)},
                     {&p.gradient});
    p.gradient = std::move(results[0]);
    flags.bytes.insert(flags.bytes.end(), results[1].bytes.begin(), results[1].bytes.end());
  }
  return flags;
}

void Training::clip(Step& step, std::vector<Parameter>& parameters, StepTrace& trace) const {
  Tensor norms = Tensor::zeros(kFp32, parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const Tensor norm = step.run({.kind = Kind::kNorm, .tensor = "norm of " + p.name, .to = &kFp32},
                                 {&p.gradient}, Watch::kNo);
    norms.set(i, norm.at(0));
  }
  const Tensor factor = std::move(step.run_all({.kind = Kind::kClipFactor,
                                                .tensor = "clip factor",
                                                .to = &kFp32,
                                                .scalar = design_.clip_limit},
                                               {&norms})[1]);
  trace.clip_factor = fp32_number(factor.at(0));
  for (Parameter& p : parameters)
    p.gradient = step.run({.kind = Kind::kClip, .tensor = "clipped " + p.name, .to = &kFp32},
                          {&p.gradient, &factor}, Watch::kNo);
}

// What the optimizer makes of a parameter.
Tensor Training::moved(Step& step, const Parameter& p, std::size_t index, const Tensor& found) {
  if (design_.adam == nullptr)
    return step.run(
        {.kind = Kind::kDescend, .tensor = "new " + p.name, .to = &kFp32, .scalar = mode_.rate},
        {p.values, &p.gradient, &found}, Watch::kNo);
  auto& [first, second] = moments_[index];
  std::vector<Tensor> results = step.run_all({.kind = Kind::kAdam,
                                              .tensor = "new " + p.name,
                                              .to = &kFp32,
                                              .settings = design_.adam,
                                              .count = made_ + 1},
                                             {p.values, &first, &second, &p.gradient});
  first = std::move(results[1]);
  second = std::move(results[2]);
  return std::move(results[0]);
}

// A scale that is no power of two, as a wrong device may make it, changes nothing.
void Training::rescale(Step& step, const Tensor& found) {
  const Tensor scale = Tensor::from_bits(kFp32, std::array<Bits, 1>{state_.scale});
  const Tensor counts =
      Tensor::from_bits(kFp32, std::array<Bits, 2>{static_cast<std::uint32_t>(state_.clean_steps),
                                                   static_cast<std::uint32_t>(state_.hysteresis)});
  const std::vector<Tensor> results =
      step.run_all({.kind = Kind::kRescale, .tensor = "scale", .to = &kFp32, .scaler = &scaler_},
                   {&found, &scale, &counts});
  const double made = fp32_number(results[0].at(0));
  if (std::isnormal(made) && made > 0 && power_of_two(std::ilogb(made)) == results[0].at(0))
    state_.scale = results[0].at(0);
  state_.clean_steps = static_cast<std::int32_t>(results[1].at(0));
  state_.hysteresis = static_cast<std::int32_t>(results[1].at(1));
}

// A scaler's step is made by the same kernel whether it is skipped or not; Adam's only
// if it is not.
void Training::update(Step& step, std::vector<Parameter>& parameters, StepTrace& trace) {
  const Tensor flags = unscale(step, parameters, trace);
  if (design_.clip_limit != 0) clip(step, parameters, trace);
  Tensor found = Tensor::zeros(kFp32, 1);
  if (mode_.dynamic)
    found = std::move(
        step.run_all({.kind = Kind::kFound, .tensor = "found", .to = &kFp32}, {&flags})[0]);
  trace.skipped = !formats::is_zero(kFp32, found.at(0));
  const bool is_asked = !trace.skipped || design_.adam == nullptr;
  for (std::size_t i = 0; i < parameters.size() && is_asked; ++i) {
    Parameter& p = parameters[i];
    Tensor after = moved(step, p, i, found);
    if (mode_.narrow_weights && !trace.skipped)
      after = fast::convert(step.cast("new narrow " + p.name, after), kFp32);
    if (!trace.skipped) count_updates(*p.values, after, p.gradient, trace);
    *p.values = std::move(after);
  }
  if (!trace.skipped) ++made_;
  if (mode_.dynamic) rescale(step, found);
}

StepTrace Training::evaluate(const Engine& engine) const {
  StepTrace trace;
  Step step(mode_, size_.batch, engine, trace);
  std::vector<Pass> passes;
  const Tensor outputs = forward(step, passes, trace, false);
  measure(step, outputs, trace);
  const std::size_t width = outputs.count() / size_.batch;
  for (std::size_t row = 0; row < size_.batch; ++row) {
    std::vector<double>& logits = trace.logits.emplace_back();
    for (std::size_t i = 0; i < width; ++i)
      logits.push_back(fp32_number(outputs.at(row * width + i)));
  }
  return trace;
}

StepTrace Training::step(const Engine& engine) {
  StepTrace trace{.step = steps_++, .scale = log2_of(state_.scale)};
  Step step(mode_, size_.batch, engine, trace, scales_ ? &*scales_ : nullptr);
  std::vector<Pass> passes;
  const Tensor outputs = forward(step, passes, trace, true);
  measure(step, outputs, trace);
  if (mode_.recomputes) recompute(engine, passes[0], trace);
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    parameters.push_back({.name = fmt::format("W{}", i + 1), .values = &n_.weights[i]});
    parameters.push_back({.name = fmt::format("b{}", i + 1), .values = &n_.biases[i]});
  }
  backward(step, passes, outputs, trace, parameters);
  trace.norm = std::ldexp(trace.stored_norm(), size_.attenuation - trace.scale);
  update(step, parameters, trace);
  return trace;
}

}  // namespace halfmark::tools::lab
