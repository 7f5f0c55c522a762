// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/backward_kernels.hpp"

#include "reference/fast/rows_kernels.hpp"
#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/backward_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/elementary_vector.hpp"
#include "reference/fast/reduce_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

void gelu_row(float* values, std::size_t count) {
  map_row(values, padded(count), [](FloatVector x, std::size_t) HWY_ATTR { return gelu(x); });
}

void through_gelu(float* HWY_RESTRICT gradients, const float* HWY_RESTRICT h, std::size_t count) {
  map_row(gradients, padded(count), [&](FloatVector gradient, std::size_t i) HWY_ATTR {
    return hn::Mul(gradient, gelu_derivative(hn::Load(Floats(), h + i)));
  });
}

void residual(float* HWY_RESTRICT y, const float* HWY_RESTRICT t, std::size_t count) {
  map_row(y, padded(count), [&](FloatVector v, std::size_t i) HWY_ATTR {
    return hn::Sub(v, hn::Load(Floats(), t + i));
  });
}

void add_squares(float* HWY_RESTRICT r, std::size_t count, float* HWY_RESTRICT lanes) {
  const Floats d;
  pad(r, count, padded(count), 0.0F);
  for (std::size_t i = 0; i < padded(count); i += hn::MaxLanes(d)) {
    float* lane = lanes + i % operators::kLanes;
    const FloatVector x = hn::Load(d, r + i);
    hn::Store(hn::MulAdd(x, x, hn::Load(d, lane)), d, lane);
  }
}

float mean(float* lanes, float count) {
  const FloatVector sum =
      fold(lanes, [](FloatVector a, FloatVector b) HWY_ATTR { return hn::Add(a, b); });
  return hn::GetLane(hn::Div(sum, hn::Set(Floats(), count)));
}

void scale_row(float* values, std::size_t count, float inner, float outer) {
  const Floats d;
  map_row(values, padded(count), [&](FloatVector v, std::size_t) HWY_ATTR {
    return hn::Mul(hn::Set(d, outer), hn::Mul(hn::Set(d, inner), v));
  });
}

void multiply(float* values, std::size_t count, float factor) {
  map_row(values, padded(count), [&](FloatVector v, std::size_t) HWY_ATTR {
    return hn::Mul(v, hn::Set(Floats(), factor));
  });
}

void descend(float* HWY_RESTRICT weights, const float* HWY_RESTRICT gradients, std::size_t count,
             float rate) {
  const Floats d;
  map_row(weights, padded(count), [&](FloatVector weight, std::size_t i) HWY_ATTR {
    return hn::NegMulAdd(hn::Set(d, rate), hn::Load(d, gradients + i), weight);
  });
}

bool all_finite(const float* values, std::size_t count) {
  const Floats d;
  for (std::size_t i = 0; i < count; i += hn::MaxLanes(d)) {
    const std::size_t left = count - i < hn::MaxLanes(d) ? count - i : hn::MaxLanes(d);
    const auto finite = hn::IsFinite(hn::Load(d, values + i));
    if (!hn::AllTrue(d, hn::Or(finite, hn::Not(hn::FirstN(d, left))))) return false;
  }
  return true;
}

inline constexpr BackwardKernels kBackwardKernels{.gelu = gelu_row,
                                                  .through_gelu = through_gelu,
                                                  .residual = residual,
                                                  .add_squares = add_squares,
                                                  .mean = mean,
                                                  .scale = scale_row,
                                                  .multiply = multiply,
                                                  .descend = descend,
                                                  .all_finite = all_finite};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const BackwardKernels* backward_kernels(Target target) {
  return HM_FAST_CHOOSE(BackwardKernels, target, kBackwardKernels);
}

}  // namespace halfmark::fast
#endif
