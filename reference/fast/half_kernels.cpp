// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/half_kernels.hpp"

#include "reference/fast/simd.hpp"
#include "reference/fast/tile_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/half_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kRows = HWY_TARGET == HWY_AVX2 ? 4 : 8;

struct Fp16 {
  static HWY_INLINE FloatVector round(FloatVector value) { return rounded_to_fp16(value); }
};

struct Bf16 {
  static HWY_INLINE FloatVector round(FloatVector value) {
    const auto upper = hn::And(rounded_to_bf16(value), hn::Set(Words(), 0xffff0000U));
    return hn::BitCast(Floats(), upper);
  }
};

// False if either is a NaN.
HWY_INLINE hn::Mask<Floats> differ(FloatVector x, FloatVector y) {
#if HWY_TARGET == HWY_NEON
  return hn::Or(hn::Lt(x, y), hn::Lt(y, x));
#else
  return hn::Ne(x, y);
#endif
}

// x + y, rounded to odd. The truncated sum z is exact if and only if z - x, also truncated, is y.
// Let e = x + y - z be nonzero; it has the sign of z, and z - x = y - e. If y has that sign too,
// then |y - e| < |y|, and truncation keeps it below. Otherwise x is the larger operand, |z| < |x|,
// and |z| is at least |x| / 2, or x + y would have been exact (Sterbenz); then z - x is exact, and
// not y. An infinite sum counts as exact.
HWY_INLINE FloatVector add_to_odd(FloatVector x, FloatVector y) {
  const Floats d;
  const FloatVector z = hn::Add(x, y);
  const auto inexact = differ(hn::Sub(z, x), y);
  const FloatVector last_bit = hn::BitCast(d, hn::Set(Words(), 1U));
  return hn::Or(z, hn::IfThenElseZero(inexact, last_bit));
}

template <typename Narrow, bool kFused>
void tile(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t depth,
          float* HWY_RESTRICT sums, std::size_t stride) {
  const Floats d;
  FloatVector sum[kRows];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) sum[i] = hn::Load(d, sums + i * stride);
  for (std::size_t k = 0; k < depth; ++k) {
    const FloatVector row = hn::Load(d, b + k * kLanes);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) {
      FloatVector product = hn::Mul(hn::Set(d, a[i * kRowStride + k]), row);
      if constexpr (!kFused) product = Narrow::round(product);
      sum[i] = Narrow::round(add_to_odd(sum[i], product));
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) hn::Store(sum[i], d, sums + i * stride);
}

inline constexpr HalfKernels kHalfKernels{.rows = kRows,
                                          .columns = kLanes,
                                          .fp16_fma = tile<Fp16, true>,
                                          .fp16_mul = tile<Fp16, false>,
                                          .bf16_fma = tile<Bf16, true>,
                                          .bf16_mul = tile<Bf16, false>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const HalfKernels* half_kernels(Target target) {
  return HM_FAST_CHOOSE(HalfKernels, target, kHalfKernels);
}

}  // namespace halfmark::fast
#endif
