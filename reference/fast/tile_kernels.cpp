// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/tile_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/tile_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
namespace hn = hwy::HWY_NAMESPACE;

// A tile fills the registers: kRows * kVectors sums, one row of B and one broadcast element of A.
// AVX3 and NEON have 32 vector registers, AVX2 has 16.
constexpr std::size_t kVectors = HWY_TARGET == HWY_NEON ? 3 : 2;
constexpr std::size_t kRows = HWY_TARGET == HWY_AVX3 ? 14 : HWY_TARGET == HWY_NEON ? 8 : 6;

// When its first tile reads it, a panel of B comes from distant memory, so it is prefetched this
// many steps ahead. Rows of A come from the level-2 cache, one cache line at a time.
constexpr std::size_t kAhead = 64;

template <bool kFused, typename V>
HWY_INLINE V step(V a, V b, V sum) {
  if constexpr (kFused) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

template <typename T, bool kFused>
void tile(const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, std::size_t depth, T* HWY_RESTRICT sums,
          std::size_t stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  constexpr std::size_t kLine = 64 / sizeof(T);
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[i][v] = hn::Load(d, sums + i * stride + v * kLanes);
    }
  }
  for (std::size_t first = 0; first < depth; first += kLine) {
    const std::size_t last = first + kLine < depth ? first + kLine : depth;
    for (std::size_t i = 0; i < kRows; ++i) __builtin_prefetch(a + i * kRowStride + last);
    for (std::size_t k = first; k < last; ++k) {
      V row[kVectors];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const T* line = b + (k * kVectors + v) * kLanes;
        __builtin_prefetch(line + kAhead * kVectors * kLanes);
        row[v] = hn::Load(d, line);
      }
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kRows; ++i) {
        const V element = hn::Set(d, a[i * kRowStride + k]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
          sum[i][v] = step<kFused>(element, row[v], sum[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[i][v], d, sums + i * stride + v * kLanes);
    }
  }
}

template <typename T>
inline constexpr TileKernels<T> kTileKernels{
    .rows = kRows,
    .columns = kVectors * hn::MaxLanes(hn::ScalableTag<T>()),
    .fma = tile<T, true>,
    .mul = tile<T, false>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const TileKernels<float>* fp32_tile_kernels(Target target) {
  return HM_FAST_CHOOSE(TileKernels<float>, target, kTileKernels<float>);
}

const TileKernels<double>* fp64_tile_kernels(Target target) {
  return HM_FAST_CHOOSE(TileKernels<double>, target, kTileKernels<double>);
}

}  // namespace halfmark::fast
#endif
