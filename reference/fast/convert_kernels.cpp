// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/convert_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/convert_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

// Normal results: half a last place, less one unless the kept part is odd, is added to the fp32
// encoding and the rest is truncated; a carry moves to the next binade. Subnormal results: the
// value is added to a power of two whose last place is theirs, so the adder rounds once. The two
// methods agree at the smallest normal number, and a result above the largest one has overflowed.
HWY_INLINE WordVector rounded(FloatVector value, const RoundingRule& rule) {
  const Floats floats;
  const Words words;
  const WordVector bits = hn::BitCast(words, value);
  const auto negative = hn::Ne(hn::And(bits, hn::Set(words, 0x80000000U)), hn::Zero(words));
  const WordVector size = hn::And(bits, hn::Set(words, 0x7fffffffU));
  const WordVector one = hn::Set(words, 1U);
  const WordVector odd = hn::And(hn::ShiftRightSame(size, rule.cut), one);
  const WordVector below_half = hn::Set(words, (1U << (rule.cut - 1)) - 1);
  const WordVector raised = hn::Add(hn::Add(size, below_half), odd);
  const WordVector normal =
      hn::Sub(hn::ShiftRightSame(raised, rule.cut), hn::Set(words, rule.rebias));
  const WordVector grid = hn::Set(words, rule.grid);
  const WordVector subnormal = hn::Sub(
      hn::BitCast(words, hn::Add(hn::BitCast(floats, size), hn::BitCast(floats, grid))), grid);
  const auto is_subnormal = hn::Lt(size, hn::Set(words, rule.min_normal));
  const WordVector magnitude = hn::IfThenElse(is_subnormal, subnormal, normal);
  const auto either = [&](const std::uint32_t(&of)[2]) HWY_ATTR {
    return hn::IfThenElse(negative, hn::Set(words, of[1]), hn::Set(words, of[0]));
  };
  WordVector result = hn::Or(magnitude, hn::IfThenElseZero(negative, hn::Set(words, rule.sign)));
  result = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(words)), either(rule.zero), result);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(words, rule.max_finite)), either(rule.overflow),
                          result);
  result =
      hn::IfThenElse(hn::Gt(size, hn::Set(words, 0x7f800000U)), hn::Set(words, rule.nan), result);
  return hn::ShiftLeftSame(result, rule.padding);
}

HWY_INLINE void store(WordVector words, std::uint8_t* to) {
  const hn::Rebind<std::uint8_t, Words> d;
  hn::StoreU(hn::TruncateTo(d, words), d, to);
}
HWY_INLINE void store(WordVector words, std::uint16_t* to) {
  hn::StoreU(hn::TruncateTo(Halves(), words), Halves(), to);
}
HWY_INLINE void store(WordVector words, std::uint32_t* to) { hn::StoreU(words, Words(), to); }

// Whole vectors first, then the rest in copies padded with zeros.
template <typename Word>
void round(const float* from, std::size_t count, const RoundingRule& rule, std::byte* bytes) {
  const Floats d;
  auto* to = reinterpret_cast<Word*>(bytes);
  std::size_t i = 0;
  for (; i + hn::MaxLanes(d) <= count; i += hn::MaxLanes(d)) {
    store(rounded(hn::LoadU(d, from + i), rule), to + i);
  }
  if (i == count) return;
  float rest[hn::MaxLanes(Floats())] = {};
  Word rest_to[hn::MaxLanes(Floats())];
  for (std::size_t j = i; j < count; ++j) rest[j - i] = from[j];
  store(rounded(hn::LoadU(d, rest), rule), rest_to);
  for (std::size_t j = i; j < count; ++j) to[j] = rest_to[j - i];
}

inline constexpr ConvertKernels kConvertKernels{
    .bytes = round<std::uint8_t>, .halves = round<std::uint16_t>, .words = round<std::uint32_t>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const ConvertKernels* convert_kernels(Target target) {
  return HM_FAST_CHOOSE(ConvertKernels, target, kConvertKernels);
}

}  // namespace halfmark::fast
#endif
