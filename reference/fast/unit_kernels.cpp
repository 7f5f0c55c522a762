// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/unit_kernels.hpp"

#include "reference/fast/simd.hpp"
#include "reference/fast/tile_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/unit_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
using Integers = hn::RebindToSigned<Floats>;
using HalfFloats = hn::Half<Floats>;
using HalfIntegers = hn::Half<Integers>;
using Doubles = hn::Rebind<double, HalfFloats>;
using Longs = hn::RebindToSigned<Doubles>;
using IntegerVector = hn::Vec<Integers>;
using DoubleVector = hn::Vec<Doubles>;

constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kRows = 16;
// The number of products whose truncated terms sum within 32 bits: 16 * 2^27, less because
// significands stay below 2.
constexpr std::size_t kPart = 16;
// Below every lower limit, even when added to any exponent.
constexpr int kExponentOfZero = -1024;

// Converts toward zero. Highway's own conversion also corrects values beyond the integers, which do
// not occur here.
HWY_INLINE IntegerVector to_integers(FloatVector value) {
#if HWY_TARGET == HWY_AVX3
  return IntegerVector{_mm512_cvttps_epi32(value.raw)};
#elif HWY_TARGET == HWY_AVX2
  return IntegerVector{_mm256_cvttps_epi32(value.raw)};
#else
  return hn::ConvertTo(Integers(), value);
#endif
}

// 2^exponent, a normal number.
HWY_INLINE FloatVector power(IntegerVector exponent) {
  return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(Integers(), 127))));
}

HWY_INLINE IntegerVector clamped(IntegerVector exponent) {
  const Integers d;
  return hn::Max(hn::Min(exponent, hn::Set(d, 127)), hn::Set(d, -126));
}

// value * 2^exponent in two steps; the first is exact unless the result is below 1.
HWY_INLINE FloatVector scaled(FloatVector value, IntegerVector exponent) {
  const IntegerVector first = clamped(exponent);
  const IntegerVector second = clamped(hn::Sub(exponent, first));
  return hn::Mul(hn::Mul(value, power(first)), power(second));
}

// The exponent that the rule gives a significand, without normalising subnormals.
HWY_INLINE IntegerVector exponent_of(FloatVector value, int least, int of_zero) {
  const Integers d;
  const IntegerVector bits = hn::BitCast(d, hn::Abs(value));
  const IntegerVector field = hn::ShiftRight<23>(bits);
  const IntegerVector exponent = hn::Max(hn::Sub(field, hn::Set(d, 127)), hn::Set(d, least));
  return hn::IfThenElse(hn::Eq(bits, hn::Zero(d)), hn::Set(d, of_zero), exponent);
}

// Splits off the exponent of an operand; in the wide variant also stores its significand.
template <bool kWide>
HWY_INLINE void split(FloatVector value, int least, float* HWY_RESTRICT significand,
                      std::int32_t* HWY_RESTRICT exponent) {
  const IntegerVector e = exponent_of(value, least, kExponentOfZero);
  hn::Store(e, Integers(), exponent);
  if constexpr (kWide) {
    const IntegerVector shift =
        hn::IfThenZeroElse(hn::Eq(e, hn::Set(Integers(), kExponentOfZero)), hn::Neg(e));
    hn::Store(scaled(value, shift), Floats(), significand);
  }
}

struct Operands {
  const float* a;  // one row
  const float* b;  // kLanes columns
  const std::int32_t* a_exponents;
  const std::int32_t* b_exponents;
};

// The sum of up to kPart products on the grid, in units of it. `up` converts exponents to places.
template <bool kWide>
HWY_INLINE IntegerVector part_sum(const Operands& o, std::size_t first, std::size_t last,
                                  IntegerVector up, FloatVector scale) {
  const Floats d;
  const Integers di;
  IntegerVector sum = hn::Zero(di);
#pragma GCC unroll 4
  for (std::size_t k = first; k < last; ++k) {
    const FloatVector product = hn::Mul(hn::Set(d, o.a[k]), hn::Load(d, o.b + k * kLanes));
    if constexpr (kWide) {
      // The clamp still scales a product far below the grid to less than 1.
      const IntegerVector e =
          hn::Add(hn::Set(di, o.a_exponents[k]), hn::Load(di, o.b_exponents + k * kLanes));
      const IntegerVector place = hn::Max(hn::Add(e, up), hn::Set(di, -126));
      sum = hn::Add(sum, to_integers(hn::Mul(product, power(place))));
    } else {
      sum = hn::Add(sum, to_integers(hn::Mul(product, scale)));
    }
  }
  return sum;
}

// 2^exponent as fp64, in half as many lanes.
HWY_INLINE DoubleVector double_power(hn::Vec<HalfIntegers> exponent) {
  const auto wide = hn::PromoteTo(Longs(), hn::Add(exponent, hn::Set(HalfIntegers(), 1023)));
  return hn::BitCast(Doubles(), hn::ShiftLeft<52>(wide));
}

// Converts toward zero, but to infinity beyond the range. For fp16 the last bit is made odd if the
// result is inexact, so that rounding to fp16 equals rounding the exact value.
HWY_INLINE hn::Vec<HalfFloats> to_floats(DoubleVector value, bool odd) {
  const Doubles d;
  const HalfFloats df;
  const hn::RebindToUnsigned<HalfFloats> du;
  const DoubleVector infinity = hn::CopySign(hn::Inf(d), value);
  const auto fits = hn::Lt(hn::Abs(value), hn::Set(d, 0x1p128));
  const auto cut = hn::DemoteTo(df, hn::IfThenElse(fits, value, infinity));
  if (!odd) return cut;
  const DoubleVector lost = hn::Sub(value, hn::PromoteTo(d, cut));
  const auto inexact = hn::Ne(hn::DemoteTo(df, lost), hn::Zero(df));
  const auto last_bit = hn::BitCast(df, hn::Set(du, 1U));
  return hn::IfThenElse(inexact, hn::Or(cut, last_bit), cut);
}

// Rounds total * 2^place, given as two halves, once to the unit's result.
HWY_INLINE FloatVector rounded(const TruncatedBlock& block, DoubleVector low, DoubleVector high,
                               IntegerVector place) {
  const Floats d;
  const HalfIntegers half;
  low = hn::Mul(low, double_power(hn::LowerHalf(half, place)));
  high = hn::Mul(high, double_power(hn::UpperHalf(half, place)));
  const FloatVector value =
      hn::Combine(d, to_floats(high, block.to_fp16), to_floats(low, block.to_fp16));
  if (block.to_fp16) return rounded_to_fp16(value);
  return hn::And(value, hn::BitCast(d, hn::Set(Words(), block.keep)));
}

template <bool kWide>
HWY_INLINE FloatVector step(const TruncatedBlock& block, const Operands& o, std::size_t first,
                            std::size_t last, FloatVector c) {
  const Floats d;
  const Integers di;
  // The lower limit is the exponent of a zero c; every other c has a larger one.
  IntegerVector largest = exponent_of(c, block.c_least, block.zero_exponent);
#pragma GCC unroll 4
  for (std::size_t k = first; k < last; ++k) {
    const IntegerVector e = hn::Load(di, o.b_exponents + k * kLanes);
    largest = hn::Max(largest, hn::Add(hn::Set(di, o.a_exponents[k]), e));
  }
  const IntegerVector up = hn::Sub(hn::Set(di, block.fraction_bits), largest);
  // Where `up` is greater than 127, every product is zero.
  const FloatVector scale = power(clamped(up));
  const FloatVector addend = hn::Trunc(scaled(c, up));
  const HalfFloats df;
  const HalfIntegers half;
  const Doubles dd;
  DoubleVector low = hn::PromoteTo(dd, hn::LowerHalf(df, addend));
  DoubleVector high = hn::PromoteTo(dd, hn::UpperHalf(df, addend));
  for (std::size_t k = first; k < last; k += kPart) {
    const std::size_t end = k + kPart < last ? k + kPart : last;
    const IntegerVector sum = part_sum<kWide>(o, k, end, up, scale);
    low = hn::Add(low, hn::PromoteTo(dd, hn::LowerHalf(half, sum)));
    high = hn::Add(high, hn::PromoteTo(dd, hn::UpperHalf(half, sum)));
  }
  const FloatVector result = rounded(block, low, high, hn::Neg(up));
  const auto negative = hn::MaskFromVec(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, c))));
  return hn::IfThenElse(hn::And(hn::Eq(result, hn::Zero(d)), negative), hn::NaN(d), result);
}

template <bool kWide>
void tile(const TruncatedBlock& block, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
          std::size_t depth, float* HWY_RESTRICT states, std::size_t stride) {
  const Floats d;
  constexpr std::size_t kSignificands = kWide ? kBlockDepth : 0;
  HWY_ALIGN std::int32_t a_exponents[kRowStride];
  HWY_ALIGN std::int32_t b_exponents[kBlockDepth * kLanes];
  HWY_ALIGN float a_significands[kSignificands + 16];
  HWY_ALIGN float b_significands[kSignificands * kLanes + 16];
  for (std::size_t k = 0; k < depth; ++k) {
    split<kWide>(hn::Load(d, b + k * kLanes), block.b_least,
                 b_significands + (kWide ? k * kLanes : 0), b_exponents + k * kLanes);
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* line = a + row * kRowStride;
    for (std::size_t k = 0; k < depth; k += kLanes) {
      split<kWide>(hn::Load(d, line + k), block.a_least, a_significands + (kWide ? k : 0),
                   a_exponents + k);
    }
    const Operands operands{kWide ? a_significands : line, kWide ? b_significands : b, a_exponents,
                            b_exponents};
    FloatVector state = hn::Load(d, states + row * stride);
    for (std::size_t k = 0; k < depth; k += block.length) {
      const std::size_t end = k + block.length < depth ? k + block.length : depth;
      state = step<kWide>(block, operands, k, end, state);
    }
    hn::Store(state, d, states + row * stride);
  }
}

inline constexpr UnitKernels kUnitKernels{
    .rows = kRows, .columns = kLanes, .narrow = tile<false>, .wide = tile<true>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const UnitKernels* unit_kernels(Target target) {
  return HM_FAST_CHOOSE(UnitKernels, target, kUnitKernels);
}

}  // namespace halfmark::fast
#endif
