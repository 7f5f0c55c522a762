// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/backward.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <stdexcept>

#include "reference/fast/backward_kernels.hpp"
#include "reference/fast/blocks.hpp"
#include "reference/fast/buffer.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/rows_kernels.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/perceptron.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using operators::TrainingProblem;
using operators::TrainingState;
using operators::TrainingStep;

float number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

// A step in progress on the default machine.
class Step {
 public:
  Step(const TrainingProblem& problem, const TrainingState& state, const Options& options)
      : p_(problem),
        state_(state),
        options_{.threads = options.threads, .target = options.chosen_target()},
        kernels_(*backward_kernels(*options_.target)),
        half_(*p_.format),
        count_(soft::from_int(kFp32, static_cast<std::int64_t>(p_.batch * p_.out)).bits) {}

  [[nodiscard]] TrainingStep run() {
    forward();
    backward();
    update_weights();
    update_scale();
    return std::move(s_);
  }

 private:
  // Applies format(map(inputs ...)) element by element; map works in place on the lanes of the
  // first input.
  template <typename Map, typename... Inputs>
  [[nodiscard]] Tensor map(const Format& format, const Map& map_lanes,
                           const Inputs&... inputs) const {
    return mapped_blocks(
        format, options_, [&](auto& lanes, const Block& block) { map_lanes(lanes, block.count); },
        inputs...);
  }

  struct Shape {
    std::size_t m, n, k;
    bool transpose_a, transpose_b;
  };

  [[nodiscard]] Tensor product(const Format& to, const Shape& shape, const Tensor& a,
                               const Tensor& b) const {
    operators::GemmProblem p{.m = shape.m, .n = shape.n, .k = shape.k};
    p.transpose_a = shape.transpose_a;
    p.transpose_b = shape.transpose_b;
    p.d_format = &to;
    return gemm(p, a, b, nullptr, operators::specified_arithmetic(kFp32), {}, options_);
  }

  [[nodiscard]] Tensor cast(const Tensor& weights) const {
    return map(half_, [](auto&, std::size_t) {}, weights);
  }

  // Sequential, because the lanes run over the whole tensor.
  [[nodiscard]] Tensor loss() const {
    Tensor result = Tensor::zeros(kFp32, 1);
    for_each_part(1, 1, Direction::kNearEven, [&](std::size_t) {
      alignas(64) std::array<float, operators::kLanes> lanes{};
      alignas(64) std::array<float, kBlock> y;
      alignas(64) std::array<float, kBlock> t;
      for (std::size_t first = 0; first < s_.y.count(); first += kBlock) {
        const Block block{first, std::min(kBlock, s_.y.count() - first)};
        widen(*options_.target, s_.y, first, block.count, y.data());
        widen(*options_.target, state_.t, first, block.count, t.data());
        kernels_.residual(y.data(), t.data(), block.count);
        kernels_.add_squares(y.data(), block.count, lanes.data());
      }
      const float mean = kernels_.mean(lanes.data(), number(count_));
      narrow(*options_.target, &mean, 1, result, 0);
    });
    return result;
  }

  // The sums are kept where there is a bias. Adding it is a small part of the step.
  [[nodiscard]] Tensor layer(const Shape& shape, const Tensor& x, const Tensor& w, Tensor& sums,
                             const Tensor& bias) const {
    if (!p_.has_biases) return product(half_, shape, x, w);
    sums = product(kFp32, shape, x, w);
    Tensor rows = Tensor::zeros(half_, sums.count());
    for (std::size_t i = 0; i < shape.m; ++i)
      std::copy(bias.bytes.begin(), bias.bytes.end(),
                rows.bytes.begin() + static_cast<std::ptrdiff_t>(i * bias.bytes.size()));
    return map(
        half_,
        [](auto& lanes, std::size_t count) {
          for (std::size_t i = 0; i < count; ++i) lanes[0][i] += lanes[1][i];
        },
        sums, rows);
  }

  void forward() {
    s_.w1h = cast(state_.w1);
    s_.w2h = cast(state_.w2);
    if (p_.has_biases) {
      s_.b1h = cast(state_.b1);
      s_.b2h = cast(state_.b2);
    }
    s_.h = layer({p_.batch, p_.hidden, p_.in, false, true}, state_.x, s_.w1h, s_.s1, s_.b1h);
    s_.g = map(
        half_, [&](auto& lanes, std::size_t count) { kernels_.gelu(lanes[0].data(), count); },
        s_.h);
    s_.y = layer({p_.batch, p_.out, p_.hidden, false, true}, s_.g, s_.w2h, s_.s2, s_.b2h);
    s_.loss = loss();
  }

  [[nodiscard]] Tensor output_gradient() const {
    const float share = number(op_.div(kTwo, count_));
    return map(
        half_,
        [&](auto& lanes, std::size_t count) {
          kernels_.residual(lanes[0].data(), lanes[1].data(), count);
          kernels_.scale(lanes[0].data(), count, share, number(state_.scale));
        },
        s_.y, state_.t);
  }

  void backward() {
    s_.dy = output_gradient();
    s_.dw2 = product(half_, {p_.out, p_.hidden, p_.batch, true, false}, s_.dy, s_.g);
    s_.dg = product(half_, {p_.batch, p_.hidden, p_.out, false, false}, s_.dy, s_.w2h);
    s_.dh = map(
        half_,
        [&](auto& lanes, std::size_t count) {
          kernels_.through_gelu(lanes[0].data(), lanes[1].data(), count);
        },
        s_.dg, s_.h);
    s_.dw1 = product(half_, {p_.hidden, p_.in, p_.batch, true, false}, s_.dh, state_.x);
    if (p_.has_biases) {
      s_.db2 = operators::column_sums(s_.dy, p_.batch);
      s_.db1 = operators::column_sums(s_.dh, p_.batch);
    }
  }

  // Unscales, and reports whether all gradients were finite before that.
  [[nodiscard]] Tensor unscaled(const Tensor& gradients, std::atomic<bool>& all_finite) const {
    const float inverse = number(operators::inverse_scale(scaler_, state_.scale));
    return map(
        kFp32,
        [&](auto& lanes, std::size_t count) {
          if (!kernels_.all_finite(lanes[0].data(), count)) all_finite = false;
          kernels_.multiply(lanes[0].data(), count, inverse);
        },
        gradients);
  }

  [[nodiscard]] Tensor updated(const Tensor& weights, const Tensor& gradients) const {
    if (s_.found_inf) return weights;
    return map(
        kFp32,
        [&](auto& lanes, std::size_t count) {
          kernels_.descend(lanes[0].data(), lanes[1].data(), count, number(p_.rate));
        },
        weights, gradients);
  }

  void update_weights() {
    std::atomic<bool> all_finite = true;
    s_.g1 = unscaled(s_.dw1, all_finite);
    s_.g2 = unscaled(s_.dw2, all_finite);
    if (p_.has_biases) {
      s_.gb1 = unscaled(s_.db1, all_finite);
      s_.gb2 = unscaled(s_.db2, all_finite);
    }
    s_.found_inf = !all_finite;
    s_.w1 = updated(state_.w1, s_.g1);
    s_.w2 = updated(state_.w2, s_.g2);
    if (p_.has_biases) {
      s_.b1 = updated(state_.b1, s_.gb1);
      s_.b2 = updated(state_.b2, s_.gb2);
    }
  }

  void update_scale() {
    const operators::LossScalerUpdate next = operators::updated(
        scaler_, {.scale = state_.scale, .clean_steps = state_.growth}, s_.found_inf ? 1 : 0);
    s_.scale = next.state.scale;
    s_.growth = static_cast<std::uint32_t>(next.state.clean_steps);
  }

  static constexpr Bits kTwo = 0x40000000;

  const TrainingProblem& p_;
  const TrainingState& state_;
  Options options_;
  const BackwardKernels& kernels_;
  models::Machine machine_;
  operators::Fp32 op_{machine_};
  const Format& half_;
  Bits count_;
  operators::LossScaler scaler_ = operators::scaler_of(p_);
  TrainingStep s_;
};

bool covers(const TrainingProblem& p, const TrainingState& state, const models::Machine& machine,
            const operators::TrainingVariant& variant, Target target) {
  const auto is = [](const Tensor& tensor, const Format& format) {
    return tensor.format != nullptr && *tensor.format == format;
  };
  const bool has_biases = !p.has_biases || (is(state.b1, kFp32) && is(state.b2, kFp32));
  return target != Target::kPortable && machine == models::Machine{} && !p.has_scaled_products &&
         variant == operators::TrainingVariant{} && is(state.x, *p.format) &&
         is(state.t, *p.format) && is(state.w1, kFp32) && is(state.w2, kFp32) && has_biases;
}

}  // namespace

TrainingStep loss_scaled_backward(const TrainingProblem& problem, const TrainingState& state,
                                  const models::Machine& machine,
                                  const operators::TrainingVariant& variant,
                                  const Options& options) {
  if (!covers(problem, state, machine, variant, options.chosen_target())) {
    return operators::loss_scaled_backward(problem, state, machine, variant);
  }
  operators::require_well_formed(problem, state);
  return Step(problem, state, options).run();
}

}  // namespace halfmark::fast
