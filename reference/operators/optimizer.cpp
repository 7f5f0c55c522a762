// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/optimizer.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;
using formats::Tensor;

constexpr Bits kOne = Bits{1023} << 52;
constexpr Bits kHalfInFp32 = Bits{126} << 23;

Bits negated(Bits fp64) { return fp64 ^ kFp64.sign_mask(); }
Bits sub(Bits a, Bits b) { return soft::sub(kFp64, a, b).bits; }
Bits mul(Bits a, Bits b) { return soft::mul(kFp64, a, b).bits; }
Bits div(Bits a, Bits b) { return soft::div(kFp64, a, b).bits; }
Bits narrow(Bits fp64) { return soft::convert(kFp64, kFp32, fp64).bits; }
bool below(Bits a, Bits b) { return formats::ordered(kFp64, a) < formats::ordered(kFp64, b); }

// By squaring, in fp64: its error matters to no fp32 result but one in 2^28.
Bits power(Bits base, std::uint64_t exponent) {
  Bits result = kOne;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = mul(result, base);
    base = mul(base, base);
  }
  return result;
}

// One element on its way through a step.
class Element {
 public:
  Element(const OptimizerSettings& settings, const OptimizerScalars& scalars,
          const models::Machine& machine, const OptimizerVariant& variant)
      : settings_(settings), s_(scalars), op_(machine), variant_(variant) {}

  struct Numbers {
    Bits weight, first, second;
  };

  [[nodiscard]] Numbers descend(Numbers n, Bits gradient, bool is_first) const {
    if (s_.decays) gradient = multiply_add(s_.decay, n.weight, gradient);
    if (!s_.has_momentum) {
      n.weight = kept(multiply_add(s_.rate, gradient, n.weight));
      return n;
    }
    n.first =
        is_first ? gradient : multiply_add(s_.undamped, gradient, op_.mul(n.first, s_.momentum));
    gradient = settings_.nesterov ? multiply_add(s_.momentum, n.first, gradient) : n.first;
    n.weight = kept(multiply_add(s_.rate, gradient, n.weight));
    return n;
  }

  [[nodiscard]] Numbers adapt(Numbers n, Bits gradient) const {
    if (s_.decays && s_.decouples) n.weight = op_.mul(n.weight, s_.kept);
    if (s_.decays && !s_.decouples) gradient = multiply_add(s_.decay, n.weight, gradient);
    const Bits gap = op_.sub(gradient, n.first);
    n.first = s_.from_gradient ? multiply_add(Fp32::negated(s_.rest1), gap, gradient)
                               : multiply_add(s_.share1, gap, n.first);
    const Bits decayed = op_.mul(n.second, s_.beta2);
    n.second = is_on_gpu() ? multiply_add(s_.share2, op_.mul(gradient, gradient), decayed)
                           : multiply_add(op_.mul(s_.share2, gradient), gradient, decayed);
    if (variant_.second_in_half) n.second = through_half(n.second);
    n.weight = kept(moved(n));
    return n;
  }

 private:
  [[nodiscard]] bool is_on_gpu() const { return settings_.code != OptimizerCode::kProcessor; }
  [[nodiscard]] Bits moved(const Numbers& n) const {
    const Bits divisor = denominator(n.second);
    if (is_on_gpu()) return multiply_add(s_.size, op_.div(n.first, divisor), n.weight);
    return op_.add(n.weight, op_.div(op_.mul(s_.size, n.first), divisor));
  }
  // By the correction, or by its square.
  [[nodiscard]] Bits corrected(Bits value, Bits correction) const {
    return settings_.code == OptimizerCode::kGpu ? op_.mul(value, correction)
                                                 : op_.div(value, correction);
  }
  [[nodiscard]] Bits multiply_add(Bits a, Bits b, Bits c) const {
    return settings_.fused ? op_.fma(a, b, c) : op_.add(c, op_.mul(a, b));
  }
  [[nodiscard]] Bits through_half(Bits value) const {
    return op_.load(kFp16, op_.store(kFp16, value));
  }
  [[nodiscard]] Bits kept(Bits weight) const {
    return variant_.weights_in_half ? through_half(weight) : weight;
  }
  [[nodiscard]] Bits denominator(Bits second) const {
    if (!variant_.epsilon_inside_root)
      return op_.add(corrected(op_.sqrt(second), s_.correction), s_.epsilon);
    const Bits square = op_.mul(s_.correction, s_.correction);
    return op_.sqrt(op_.add(corrected(second, square), s_.epsilon));
  }

  const OptimizerSettings& settings_;
  const OptimizerScalars& s_;
  Fp32 op_;
  const OptimizerVariant& variant_;
};

[[noreturn]] void refuse(std::string_view field, Bits value, const char* what) {
  throw std::invalid_argument(
      fmt::format("'{}' is {}; {}", field, formats::decimal(kFp64, value), what));
}

void require_at_least_zero(std::string_view field, Bits value) {
  const bool is_number = formats::is_finite(kFp64, value);
  if (!is_number || (formats::sign(kFp64, value) && !formats::is_zero(kFp64, value)))
    refuse(field, value, "it must be finite and at least 0");
}

}  // namespace

OptimizerScalars scalars_of(const OptimizerSettings& s, std::uint64_t step,
                            const OptimizerVariant& v) {
  const Bits share1 = narrow(sub(kOne, s.beta1));
  const std::uint64_t corrected = v.no_bias_correction ? 0 : step;
  const Bits bias1 = corrected == 0 ? kOne : sub(kOne, power(s.beta1, corrected));
  const Bits bias2 = corrected == 0 ? kOne : sub(kOne, power(s.beta2, corrected));
  const Bits root2 = soft::sqrt(kFp64, bias2).bits;
  Bits epsilon = narrow(s.epsilon);
  if (v.epsilon_in_half)
    epsilon = soft::convert(kFp16, kFp32, soft::convert(kFp32, kFp16, epsilon).bits).bits;
  return {.rate = narrow(negated(s.rate)),
          .momentum = narrow(s.momentum),
          .undamped = narrow(sub(kOne, s.dampening)),
          .decay = narrow(s.decay),
          .kept = narrow(sub(kOne, mul(s.rate, s.decay))),
          .share1 = share1,
          .rest1 = soft::sub(kFp32, Fp32::kOne, share1).bits,
          .beta2 = narrow(s.beta2),
          .share2 = narrow(sub(kOne, s.beta2)),
          .size = narrow(negated(div(s.rate, bias1))),
          .correction = narrow(s.code == OptimizerCode::kGpu ? div(kOne, root2) : root2),
          .epsilon = epsilon,
          .from_gradient = !Fp32::greater(kHalfInFp32, share1),
          .decays = !formats::is_zero(kFp64, s.decay),
          .decouples = s.kind == OptimizerKind::kAdamW && !v.decay_coupled,
          .has_momentum = !formats::is_zero(kFp64, s.momentum)};
}

void require_workable(const OptimizerSettings& s) {
  require_at_least_zero("rate", s.rate);
  require_at_least_zero("decay", s.decay);
  require_at_least_zero("momentum", s.momentum);
  require_at_least_zero("dampening", s.dampening);
  require_at_least_zero("epsilon", s.epsilon);
  for (const auto& [field, beta] : {std::pair{"beta1", s.beta1}, std::pair{"beta2", s.beta2}}) {
    require_at_least_zero(field, beta);
    if (!below(beta, kOne)) refuse(field, beta, "it must be below 1");
  }
  if (s.nesterov && (formats::is_zero(kFp64, s.momentum) || !formats::is_zero(kFp64, s.dampening)))
    throw std::invalid_argument("'nesterov' needs momentum and no dampening");
}

OptimizerState initial_state(const Tensor& weights) {
  return {.weights = weights,
          .first = Tensor::zeros(kFp32, weights.count()),
          .second = Tensor::zeros(kFp32, weights.count()),
          .steps = 0};
}

OptimizerState optimized(const OptimizerSettings& settings, const OptimizerState& state,
                         const Tensor& gradients, bool skipped, const models::Machine& machine,
                         const OptimizerVariant& variant) {
  OptimizerState next = state;
  if (skipped) {
    if (variant.counts_skipped) ++next.steps;
    return next;
  }
  return optimized_with(scalars_of(settings, state.steps + 1, variant), settings, state, gradients,
                        machine, variant);
}

OptimizerState optimized_with(const OptimizerScalars& scalars, const OptimizerSettings& settings,
                              const OptimizerState& state, const Tensor& gradients,
                              const models::Machine& machine, const OptimizerVariant& variant) {
  OptimizerState next = state;
  ++next.steps;
  const Element element(settings, scalars, machine, variant);
  for (std::size_t i = 0; i < state.weights.count(); ++i) {
    const Element::Numbers before{state.weights.at(i), state.first.at(i), state.second.at(i)};
    const Element::Numbers after = settings.kind == OptimizerKind::kSgd
                                       ? element.descend(before, gradients.at(i), next.steps == 1)
                                       : element.adapt(before, gradients.at(i));
    next.weights.set(i, after.weight);
    next.first.set(i, after.first);
    next.second.set(i, after.second);
  }
  return next;
}

std::uint64_t swallowed_updates(const OptimizerState& before, const OptimizerState& after,
                                const Tensor& gradients) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < gradients.count(); ++i) {
    const bool moves = !formats::is_zero(kFp32, gradients.at(i));
    if (moves && before.weights.at(i) == after.weights.at(i)) ++count;
  }
  return count;
}

}  // namespace halfmark::operators
