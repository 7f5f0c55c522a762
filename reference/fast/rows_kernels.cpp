// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/rows_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/rows_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/elementary_vector.hpp"
#include "reference/fast/reduce_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

inline constexpr std::uint32_t kMinusInfinity = 0xff800000;

HWY_INLINE FloatVector at(const float* row, std::size_t i) { return hn::Load(Floats(), row + i); }

// The larger value; a NaN never wins.
HWY_INLINE FloatVector row_maximum(const float* row, std::size_t whole) {
  const auto larger = [](FloatVector m, FloatVector v)
                          HWY_ATTR { return hn::IfThenElse(hn::Gt(v, m), v, m); };
  return reduce_lanes(
      whole, every_lane(kMinusInfinity),
      [&](FloatVector m, std::size_t i) HWY_ATTR { return larger(m, at(row, i)); }, larger);
}

HWY_INLINE FloatVector row_sum(const float* row, std::size_t whole) {
  return sum_lanes(whole,
                   [&](FloatVector s, std::size_t i) HWY_ATTR { return hn::Add(s, at(row, i)); });
}

HWY_INLINE FloatVector row_square_sum(const float* row, std::size_t whole) {
  return sum_lanes(whole, [&](FloatVector s, std::size_t i) HWY_ATTR {
    const FloatVector x = at(row, i);
    return hn::MulAdd(x, x, s);
  });
}

HWY_INLINE FloatVector product_sum(const float* a, const float* b, std::size_t whole) {
  return sum_lanes(whole, [&](FloatVector s, std::size_t i)
                              HWY_ATTR { return hn::MulAdd(at(a, i), at(b, i), s); });
}

// exp(row[i] - largest), then its sum.
HWY_INLINE FloatVector powers(float* row, std::size_t width, FloatVector largest) {
  const std::size_t whole = padded(width);
  map_row(row, whole,
          [&](FloatVector x, std::size_t) HWY_ATTR { return exp(hn::Sub(x, largest)); });
  pad(row, width, whole, 0.0F);
  return row_sum(row, whole);
}

HWY_INLINE FloatVector padded_maximum(float* row, std::size_t width) {
  const std::size_t whole = padded(width);
  pad(row, width, whole, -__builtin_inff());
  return row_maximum(row, whole);
}

void softmax_forward(float* x, std::size_t width) {
  const FloatVector largest = padded_maximum(x, width);
  const FloatVector sum = powers(x, width, largest);
  map_row(x, padded(width),
          [&](FloatVector power, std::size_t) HWY_ATTR { return hn::Div(power, sum); });
}

// The shifted row is used twice, so it is shifted in place and its powers are summed chunk
// by chunk.
void softmax_log_forward(float* x, std::size_t width) {
  const std::size_t whole = padded(width);
  const FloatVector largest = padded_maximum(x, width);
  map_row(x, whole, [&](FloatVector v, std::size_t) HWY_ATTR { return hn::Sub(v, largest); });
  // The padding must add +0: exp(-inf) does so, while x - largest could be a NaN there.
  pad(x, width, whole, -__builtin_inff());
  const FloatVector sum = sum_lanes(
      whole, [&](FloatVector s, std::size_t i) HWY_ATTR { return hn::Add(s, exp(at(x, i))); });
  const FloatVector log_sum = log(sum);
  map_row(x, whole, [&](FloatVector v, std::size_t) HWY_ATTR { return hn::Sub(v, log_sum); });
}

void softmax_backward(float* y, float* dy, std::size_t width) {
  const std::size_t whole = padded(width);
  pad(y, width, whole, 0.0F);
  pad(dy, width, whole, 0.0F);
  const FloatVector sum = product_sum(dy, y, whole);
  map_row(dy, whole, [&](FloatVector v, std::size_t i) HWY_ATTR {
    return hn::Mul(at(y, i), hn::Sub(v, sum));
  });
}

RowStatistics layernorm_forward(float* x, std::size_t width, float eps, const float* gamma,
                                const float* beta) {
  const Floats d;
  const std::size_t whole = padded(width);
  const FloatVector count = hn::Set(d, static_cast<float>(width));
  pad(x, width, whole, 0.0F);
  const FloatVector mean = hn::Div(row_sum(x, whole), count);
  map_row(x, whole, [&](FloatVector v, std::size_t) HWY_ATTR { return hn::Sub(v, mean); });
  pad(x, width, whole, 0.0F);
  const FloatVector variance = hn::Div(row_square_sum(x, whole), count);
  const FloatVector rstd =
      hn::Div(every_lane(kOneBits), hn::Sqrt(hn::Add(variance, hn::Set(d, eps))));
  map_row(x, whole, [&](FloatVector v, std::size_t i) HWY_ATTR {
    return hn::MulAdd(hn::Mul(v, rstd), at(gamma, i), at(beta, i));
  });
  return {.mean = hn::GetLane(mean), .rstd = hn::GetLane(rstd)};
}

void layernorm_backward(float* x, float* dy, std::size_t width, RowStatistics statistics,
                        const float* gamma) {
  const Floats d;
  const std::size_t whole = padded(width);
  const FloatVector mean = hn::Set(d, statistics.mean);
  const FloatVector rstd = hn::Set(d, statistics.rstd);
  const FloatVector count = hn::Set(d, static_cast<float>(width));
  map_row(x, whole,
          [&](FloatVector v, std::size_t) HWY_ATTR { return hn::Mul(hn::Sub(v, mean), rstd); });
  map_row(dy, whole,
          [&](FloatVector v, std::size_t i) HWY_ATTR { return hn::Mul(v, at(gamma, i)); });
  pad(x, width, whole, 0.0F);
  pad(dy, width, whole, 0.0F);
  const FloatVector plain = hn::Div(row_sum(dy, whole), count);
  const FloatVector along = hn::Div(product_sum(dy, x, whole), count);
  map_row(x, whole, [&](FloatVector unit, std::size_t i) HWY_ATTR {
    const FloatVector centered = hn::Sub(at(dy, i), plain);
    return hn::Mul(rstd, hn::NegMulAdd(unit, along, centered));
  });
}

void layernorm_add_to_weights(const float* HWY_RESTRICT x, const float* HWY_RESTRICT dy,
                              std::size_t whole, RowStatistics statistics,
                              float* HWY_RESTRICT dgamma, float* HWY_RESTRICT dbeta) {
  const Floats d;
  const FloatVector mean = hn::Set(d, statistics.mean);
  const FloatVector rstd = hn::Set(d, statistics.rstd);
  for (std::size_t i = 0; i < whole; i += hn::MaxLanes(d)) {
    const FloatVector gradient = at(dy, i);
    const FloatVector unit = hn::Mul(hn::Sub(at(x, i), mean), rstd);
    hn::Store(hn::MulAdd(gradient, unit, at(dgamma, i)), d, dgamma + i);
    hn::Store(hn::Add(at(dbeta, i), gradient), d, dbeta + i);
  }
}

inline constexpr SoftmaxKernels kSoftmaxKernels{
    .forward = softmax_forward, .log_forward = softmax_log_forward, .backward = softmax_backward};
inline constexpr LayernormKernels kLayernormKernels{.forward = layernorm_forward,
                                                    .backward = layernorm_backward,
                                                    .add_to_weights = layernorm_add_to_weights};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const SoftmaxKernels* softmax_kernels(Target target) {
  return HM_FAST_CHOOSE(SoftmaxKernels, target, kSoftmaxKernels);
}

const LayernormKernels* layernorm_kernels(Target target) {
  return HM_FAST_CHOOSE(LayernormKernels, target, kLayernormKernels);
}

}  // namespace halfmark::fast
#endif
