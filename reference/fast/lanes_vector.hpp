// SPDX-License-Identifier: Apache-2.0
// Vector code shared by several tables: fp32 lanes, and fp16 and bf16 in memory. Only files of
// vector code include this (README.md), once per target, after foreach_target.h.
//
// Assumption: the thread is in a FloatingPointScope.

// Highway's include guard for such headers: one pass per target.
#if defined(HALFMARK_FAST_LANES_VECTOR) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFMARK_FAST_LANES_VECTOR
#undef HALFMARK_FAST_LANES_VECTOR
#else
#define HALFMARK_FAST_LANES_VECTOR
#endif

#include "reference/fast/simd.hpp"
// After simd.hpp, which chooses the targets.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;
using Fp16s = hn::Rebind<hwy::float16_t, Floats>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;
using HalfVector = hn::Vec<Halves>;

// The fp32 number of an encoding, in every lane.
HWY_INLINE FloatVector every_lane(std::uint32_t bits) {
  return hn::BitCast(Floats(), hn::Set(Words(), bits));
}

HWY_INLINE FloatVector from_fp16(HalfVector stored) {
  return hn::PromoteTo(Floats(), hn::BitCast(Fp16s(), stored));
}

HWY_INLINE FloatVector from_bf16(HalfVector stored) {
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), stored)));
}

HWY_INLINE FloatVector with_default_nans(FloatVector value) {
  return hn::IfThenElse(hn::IsNaN(value), every_lane(0x7fc00000U), value);
}

// The nearest fp16 number, ties to even, whatever the thread's direction; a NaN stays a NaN.
HWY_INLINE FloatVector rounded_to_fp16(FloatVector value) {
  const Floats d;
#if HWY_ARCH_X86
  return hn::PromoteTo(d, hn::DemoteTo(Fp16s(), value));  // the instruction encodes its
                                                          // own direction
#else
  // AArch64's instruction follows the thread's direction. Rounding to an integer does not, so the
  // code rounds the value in units of its last place: a power of two between those of 2^-14 and
  // of 2^15.
  const Words words;
  const auto exponent = hn::And(hn::BitCast(words, value), hn::Set(words, 0x7f800000U));
  const auto least = hn::Set(words, 113U << 23);
  const auto place = hn::Min(hn::Max(exponent, least), hn::Set(words, 142U << 23));
  const auto unit = hn::Sub(place, hn::Set(words, 10U << 23));
  const auto reciprocal = hn::Sub(hn::Set(words, 254U << 23), unit);
  const FloatVector units = hn::Round(hn::Mul(value, hn::BitCast(d, reciprocal)));
  const FloatVector rounded = hn::Mul(units, hn::BitCast(d, unit));
  const auto overflows = hn::Ge(hn::Abs(rounded), hn::Set(d, 0x1p16F));
  return hn::IfThenElse(overflows, hn::CopySign(hn::Inf(d), rounded), rounded);
#endif
}

// The nearest fp16 number, ties to even. On AArch64 only if the thread rounds to nearest.
HWY_INLINE HalfVector to_fp16(FloatVector value) {
  return hn::BitCast(Halves(), hn::DemoteTo(Fp16s(), with_default_nans(value)));
}

// The upper half of each word becomes the nearest bf16 number, ties to even; the lower half is
// meaningless. The code adds half a last place, less one unless the kept part is odd; a carry moves
// to the next binade and, from the largest numbers, to infinity. Infinities and the default NaN do
// not change.
HWY_INLINE WordVector rounded_to_bf16(FloatVector value) {
  const Words words;
  const auto bits = hn::BitCast(words, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1U));
  return hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), odd);
}
HWY_INLINE HalfVector to_bf16(FloatVector value) {
  return hn::TruncateTo(Halves(), hn::ShiftRight<16>(rounded_to_bf16(with_default_nans(value))));
}
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFMARK_FAST_LANES_VECTOR
