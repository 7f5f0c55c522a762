// SPDX-License-Identifier: Apache-2.0
// Vector code that tables share: fp32 lanes, and fp16 and bf16 in memory. Included once per target,
// by files of vector code only (README.md), after foreach_target.h.
//
// Assumption: the thread stands in a FloatingPointScope.

// Highway's guard for such headers: one pass per target.
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

// The conversion of the hardware rounds to nearest even whatever the state, and keeps subnormals.
HWY_INLINE HalfVector to_fp16(FloatVector value) {
  return hn::BitCast(Halves(), hn::DemoteTo(Fp16s(), with_default_nans(value)));
}

// Adds half a last place, less one unless the kept part is odd: a carry moves into the next binade
// and, from the largest numbers, to infinity. The default NaN stays itself.
HWY_INLINE HalfVector to_bf16(FloatVector value) {
  const Words words;
  const auto bits = hn::BitCast(words, with_default_nans(value));
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1U));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), odd);
  return hn::TruncateTo(Halves(), hn::ShiftRight<16>(rounded));
}
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFMARK_FAST_LANES_VECTOR
