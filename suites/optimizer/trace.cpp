// SPDX-License-Identifier: Apache-2.0
// The results of a script: the optimizer of the reference, step by step, with scalars and tables
// as the device has them.
#include "reference/formats/classify.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::suites::optimizer {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using operators::Fp32;
using operators::OptimizerScalars;
using operators::OptimizerState;

class Trace {
 public:
  Trace(const Binding& b, const TensorSet& inputs, const models::Machine& machine,
        const TraceVariant& variant)
      : b_(b),
        in_(inputs),
        machine_(machine),
        variant_(variant),
        settings_(b.settings),
        state_{.weights = inputs.at("04_weights"),
               .first = inputs.at("02_first"),
               .second = inputs.at("03_second"),
               .steps = 0},
        counts_(Tensor::zeros(kFp32, b.steps())),
        swallowed_(Tensor::zeros(kFp32, b.count)),
        narrow_(Tensor::zeros(*b.format, b.count)) {
    settings_.fused = variant.is_fused;
  }

  [[nodiscard]] TensorSet run() {
    std::size_t step = 0;
    for (const char event : b_.script->events) {
      cast(is_step(event));
      if (!is_step(event)) continue;
      if (has_gradient_) take(step);
      counts_.set(step++, state_.steps);
      is_kept_ = variant_.never_renews_cast;
    }
    return {{"01_counts", std::move(counts_)},       {"02_first", std::move(state_.first)},
            {"03_second", std::move(state_.second)}, {"04_weights", std::move(state_.weights)},
            {"05_swallowed", std::move(swallowed_)}, {"06_narrow", std::move(narrow_)}};
  }

 private:
  void cast(bool has_tape) {
    if (is_kept_ && (has_gradient_ || !has_tape || variant_.reuses_cast_without_tape)) return;
    const Fp32 op(machine_);
    for (std::size_t i = 0; i < b_.count; ++i)
      narrow_.set(i, op.store(*b_.format, state_.weights.at(i)));
    is_kept_ = true;
    has_gradient_ = has_tape;
  }

  [[nodiscard]] OptimizerScalars scalars(std::uint64_t count) const {
    OptimizerScalars s = operators::scalars_of(settings_, 1, variant_.optimizer);
    const Tensor& given = in_.at("settings");
    const std::pair<Place, Bits*> places[] = {{kRate, &s.rate},         {kMomentum, &s.momentum},
                                              {kUndamped, &s.undamped}, {kDecay, &s.decay},
                                              {kKept, &s.kept},         {kShare1, &s.share1},
                                              {kRest1, &s.rest1},       {kBeta2, &s.beta2},
                                              {kShare2, &s.share2},     {kEpsilon, &s.epsilon}};
    for (const auto& [place, value] : places) *value = given.at(place);
    if (variant_.optimizer.epsilon_in_half)
      s.epsilon = soft::convert(kFp16, kFp32, soft::convert(kFp32, kFp16, s.epsilon).bits).bits;
    s.decays = !formats::is_zero(kFp32, s.decay);
    s.has_momentum = !formats::is_zero(kFp32, s.momentum);
    const bool corrects = !variant_.optimizer.no_bias_correction;
    s.size = corrects ? in_.at("sizes").at(count - 1) : s.rate;
    s.correction = corrects ? in_.at("corrections").at(count - 1) : Fp32::kOne;
    return s;
  }

  void take(std::size_t step) {
    const bool found = !formats::is_zero(kFp32, in_.at("found").at(step));
    if (found && !variant_.never_skips) {
      if (variant_.optimizer.counts_skipped) ++state_.steps;
      return;
    }
    const Fp32 op(machine_);
    Tensor gradients = Tensor::zeros(kFp32, b_.count);
    for (std::size_t i = 0; i < b_.count; ++i)
      gradients.set(i, op.load(*b_.format, in_.at("gradients").at(step * b_.count + i)));
    const OptimizerState before = std::move(state_);
    state_ = operators::optimized_with(scalars(before.steps + 1), settings_, before, gradients,
                                       machine_, variant_.optimizer);
    for (std::size_t i = 0; i < b_.count; ++i) {
      const bool moves = !formats::is_zero(kFp32, gradients.at(i));
      if (moves && before.weights.at(i) == state_.weights.at(i))
        swallowed_.set(i, swallowed_.at(i) + 1);
    }
  }

  const Binding& b_;
  const TensorSet& in_;
  const models::Machine& machine_;
  const TraceVariant& variant_;
  operators::OptimizerSettings settings_;
  OptimizerState state_;
  Tensor counts_, swallowed_, narrow_;
  bool is_kept_ = false, has_gradient_ = false;
};

}  // namespace

TensorSet traced(const Binding& b, const TensorSet& inputs, const models::Machine& machine,
                 const TraceVariant& variant) {
  return Trace(b, inputs, machine, variant).run();
}

}  // namespace halfmark::suites::optimizer
