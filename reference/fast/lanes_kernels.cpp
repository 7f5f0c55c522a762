// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/lanes_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/lanes_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
// Whole vectors first, then the rest in a copy padded with zeros.
template <FloatVector (*kConvert)(HalfVector)>
void widen(const std::uint16_t* HWY_RESTRICT from, std::size_t count, float* HWY_RESTRICT to) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(kConvert(hn::LoadU(Halves(), from + i)), Floats(), to + i);
  }
  if (i == count) return;
  HWY_ALIGN std::uint16_t rest_from[hn::MaxLanes(Floats())] = {};
  HWY_ALIGN float rest_to[hn::MaxLanes(Floats())];
  for (std::size_t j = i; j < count; ++j) rest_from[j - i] = from[j];
  hn::Store(kConvert(hn::Load(Halves(), rest_from)), Floats(), rest_to);
  for (std::size_t j = i; j < count; ++j) to[j] = rest_to[j - i];
}

template <HalfVector (*kConvert)(FloatVector)>
void narrow(const float* HWY_RESTRICT from, std::size_t count, std::uint16_t* HWY_RESTRICT to) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(kConvert(hn::LoadU(Floats(), from + i)), Halves(), to + i);
  }
  if (i == count) return;
  HWY_ALIGN float rest_from[hn::MaxLanes(Floats())] = {};
  HWY_ALIGN std::uint16_t rest_to[hn::MaxLanes(Floats())];
  for (std::size_t j = i; j < count; ++j) rest_from[j - i] = from[j];
  hn::Store(kConvert(hn::Load(Floats(), rest_from)), Halves(), rest_to);
  for (std::size_t j = i; j < count; ++j) to[j] = rest_to[j - i];
}

void narrow_fp32(const float* HWY_RESTRICT from, std::size_t count,
                 std::uint32_t* HWY_RESTRICT to) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const FloatVector value = with_default_nans(hn::LoadU(Floats(), from + i));
    hn::StoreU(hn::BitCast(Words(), value), Words(), to + i);
  }
  HWY_ALIGN float rest[hn::MaxLanes(Floats())] = {};
  HWY_ALIGN std::uint32_t bits[hn::MaxLanes(Floats())];
  for (std::size_t j = i; j < count; ++j) rest[j - i] = from[j];
  hn::Store(hn::BitCast(Words(), with_default_nans(hn::Load(Floats(), rest))), Words(), bits);
  for (std::size_t j = i; j < count; ++j) to[j] = bits[j - i];
}

void scale(float* HWY_RESTRICT values, std::size_t count, float alpha, float beta,
           const float* HWY_RESTRICT addends) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t left = count - i < lanes ? count - i : lanes;
    HWY_ALIGN float rest[2][hn::MaxLanes(Floats())] = {};
    for (std::size_t j = 0; j < left; ++j) rest[0][j] = values[i + j];
    for (std::size_t j = 0; addends != nullptr && j < left; ++j) rest[1][j] = addends[i + j];
    FloatVector value = hn::Mul(hn::Set(d, alpha), hn::Load(d, rest[0]));
    if (addends != nullptr) value = hn::MulAdd(hn::Set(d, beta), hn::Load(d, rest[1]), value);
    hn::Store(value, d, rest[0]);
    for (std::size_t j = 0; j < left; ++j) values[i + j] = rest[0][j];
  }
}

// Uses m - 1 for a magnitude m, as an unsigned number: zero becomes the largest.
void magnitudes(const float* HWY_RESTRICT values, std::size_t count, std::uint32_t* largest,
                std::uint32_t* least) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1U);
  auto most = hn::Set(d, *largest);
  auto fewest = hn::Set(d, *least - 1U);
  for (std::size_t i = 0; i < count; i += lanes) {
    FloatVector part = hn::Zero(Floats());
    if (count - i >= lanes) {
      part = hn::LoadU(Floats(), values + i);
    } else {
      HWY_ALIGN float rest[hn::MaxLanes(Floats())] = {};
      for (std::size_t j = i; j < count; ++j) rest[j - i] = values[j];
      part = hn::Load(Floats(), rest);
    }
    const auto bits = hn::BitCast(d, hn::Abs(part));
    most = hn::Max(most, bits);
    fewest = hn::Min(fewest, hn::Sub(bits, one));
  }
  *largest = hn::GetLane(hn::MaxOfLanes(d, most));
  *least = hn::GetLane(hn::MinOfLanes(d, fewest)) + 1U;
}

void to_doubles(const float* HWY_RESTRICT from, std::size_t count, double scale,
                double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Mul(hn::PromoteTo(d, hn::LoadU(df, from + i)), factor), d, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<double>(from[i]) * scale;
}

void slice(const double* HWY_RESTRICT values, std::size_t count, double magic,
           double* HWY_RESTRICT high, double* HWY_RESTRICT rest) {
  const hn::ScalableTag<double> d;
  const auto m = hn::Set(d, magic);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto value = hn::Load(d, values + i);
    const auto top = hn::Sub(hn::Add(value, m), m);
    hn::Store(top, d, high + i);
    hn::Store(hn::Sub(value, top), d, rest + i);
  }
}

inline constexpr LanesKernels kLanesKernels{.widen_fp16 = widen<from_fp16>,
                                            .widen_bf16 = widen<from_bf16>,
                                            .narrow_fp16 = narrow<to_fp16>,
                                            .narrow_bf16 = narrow<to_bf16>,
                                            .narrow_fp32 = narrow_fp32,
                                            .scale = scale,
                                            .magnitudes = magnitudes,
                                            .to_doubles = to_doubles,
                                            .slice = slice};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const LanesKernels* lanes_kernels(Target target) {
  return HM_FAST_CHOOSE(LanesKernels, target, kLanesKernels);
}

}  // namespace halfmark::fast
#endif
