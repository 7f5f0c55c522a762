// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/digest_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/digest_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

HWY_INLINE WordVector mix(WordVector x) {
  const Words d;
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(d, 0x21f0aaadU));
  x = hn::Xor(x, hn::ShiftRight<15>(x));
  x = hn::Mul(x, hn::Set(d, 0x735a2d97U));
  return hn::Xor(x, hn::ShiftRight<15>(x));
}

HWY_INLINE WordVector load(const std::uint8_t* p) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<std::uint8_t, Words>(), p));
}
HWY_INLINE WordVector load(const std::uint16_t* p) {
  return hn::PromoteTo(Words(), hn::LoadU(Halves(), p));
}
HWY_INLINE WordVector load(const std::uint32_t* p) { return hn::LoadU(Words(), p); }

// The encodings to be digested, with every NaN replaced.
HWY_INLINE WordVector encodings(WordVector words, const WordRule& rule) {
  const Words d;
  const auto bits = hn::And(hn::ShiftRightSame(words, rule.padding), hn::Set(d, rule.mask));
  const auto above_first =
      hn::Sub(hn::And(bits, hn::Set(d, rule.nan_mask)), hn::Set(d, rule.nan_first));
  const auto number = hn::Gt(above_first, hn::Set(d, rule.nan_last - rule.nan_first));
  return hn::IfThenElse(number, bits, hn::Set(d, rule.quiet_nan));
}

// Modulo 2^32. AVX-512's own reduction, in the header of GCC 12, adds signed integers.
std::uint32_t sum_of_lanes(WordVector words) {
  const Words d;
  std::uint32_t lanes[hn::MaxLanes(Words())];
  hn::StoreU(words, d, lanes);
  std::uint32_t sum = 0;
  for (const std::uint32_t lane : lanes) sum += lane;
  return sum;
}

template <typename Word>
Digest sum(const std::byte* bytes, std::size_t count, std::uint64_t first, const WordRule& rule) {
  const Words d;
  constexpr std::size_t kVector = hn::MaxLanes(d);
  const auto* words = reinterpret_cast<const Word*>(bytes);
  const auto upper = static_cast<std::uint32_t>(first >> 32);
  const std::uint32_t offset =
      static_cast<std::uint32_t>(first) + hn::GetLane(mix(hn::Set(d, upper))) + 0x9e3779b9U;
  WordVector index = hn::Iota(d, offset);
  WordVector low_sum = hn::Zero(d);
  WordVector high_sum = hn::Zero(d);
  // Adds the elements selected by `keep`, all from one vector.
  const auto take = [&](WordVector loaded, WordVector keep) HWY_ATTR {
    const WordVector key = mix(index);
    const WordVector low = mix(hn::Add(key, encodings(loaded, rule)));
    low_sum = hn::Add(low_sum, hn::And(keep, low));
    high_sum = hn::Add(high_sum, hn::And(keep, mix(hn::Xor(low, key))));
    index = hn::Add(index, hn::Set(d, static_cast<std::uint32_t>(kVector)));
  };
  std::size_t i = 0;
  for (; i + kVector <= count; i += kVector) take(load(words + i), hn::Set(d, ~0U));
  if (i < count) {
    Word rest[kVector] = {};
    for (std::size_t j = i; j < count; ++j) rest[j - i] = words[j];
    take(load(rest), hn::VecFromMask(d, hn::FirstN(d, count - i)));
  }
  return {.low = sum_of_lanes(low_sum), .high = sum_of_lanes(high_sum)};
}

std::size_t differences(const std::uint16_t* expected, const std::uint16_t* actual,
                        std::size_t count, const WordRule& rule) {
  const Words d;
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + hn::MaxLanes(d) <= count; i += hn::MaxLanes(d)) {
    found += hn::CountTrue(
        d, hn::Ne(encodings(load(expected + i), rule), encodings(load(actual + i), rule)));
  }
  std::uint16_t rest[2][hn::MaxLanes(Words())] = {};
  for (std::size_t j = i; j < count; ++j) {
    rest[0][j - i] = expected[j];
    rest[1][j - i] = actual[j];
  }
  return found +
         hn::CountTrue(d, hn::Ne(encodings(load(rest[0]), rule), encodings(load(rest[1]), rule)));
}

inline constexpr DigestKernels kDigestKernels{.bytes = sum<std::uint8_t>,
                                              .halves = sum<std::uint16_t>,
                                              .words = sum<std::uint32_t>,
                                              .differences = differences};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const DigestKernels* digest_kernels(Target target) {
  return HM_FAST_CHOOSE(DigestKernels, target, kDigestKernels);
}

}  // namespace halfmark::fast
#endif
