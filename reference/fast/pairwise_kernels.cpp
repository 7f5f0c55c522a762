// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/pairwise_kernels.hpp"

#include "reference/fast/simd.hpp"
#include "reference/fast/tile_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/pairwise_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kRows = HWY_TARGET == HWY_AVX2 ? 4 : 8;
constexpr std::size_t kLevels = 9;  // of kBlockDepth products, in pairs

// One product, or the sum of two.
template <bool kFused>
HWY_INLINE FloatVector leaf(const float* a, const float* b, std::size_t k, std::size_t depth) {
  const Floats d;
  const FloatVector first = hn::Mul(hn::Set(d, a[k]), hn::Load(d, b + k * kLanes));
  if (k + 1 == depth) return first;
  const FloatVector x = hn::Set(d, a[k + 1]);
  const FloatVector y = hn::Load(d, b + (k + 1) * kLanes);
  return kFused ? hn::MulAdd(x, y, first) : hn::Add(first, hn::Mul(x, y));
}

// A binary counter: level l of the stack holds a finished sum of 2^l leaves if bit l of the number
// of leaves is set. At the end, the remaining sums are added from the right.
template <bool kFused>
void tree(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::size_t depth,
          float* HWY_RESTRICT roots, std::size_t stride) {
  const Floats d;
  FloatVector stack[kLevels][kRows];
  const std::size_t leaves = (depth + 1) / 2;
  for (std::size_t index = 0; index < leaves; ++index) {
    FloatVector sum[kRows];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) {
      sum[i] = leaf<kFused>(a + i * kRowStride, b, 2 * index, depth);
    }
    std::size_t level = 0;
    for (; (index >> level & 1) != 0; ++level) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kRows; ++i) sum[i] = hn::Add(stack[level][i], sum[i]);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) stack[level][i] = sum[i];
  }
  std::size_t level = 0;
  while ((leaves >> level & 1) == 0) ++level;
  for (std::size_t i = 0; i < kRows; ++i) {
    FloatVector root = stack[level][i];
    for (std::size_t left = level + 1; left < kLevels; ++left) {
      if ((leaves >> left & 1) != 0) root = hn::Add(stack[left][i], root);
    }
    hn::Store(root, d, roots + i * stride);
  }
}

inline constexpr PairwiseKernels kPairwiseKernels{
    .rows = kRows, .columns = kLanes, .fma = tree<true>, .mul = tree<false>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const PairwiseKernels* pairwise_kernels(Target target) {
  return HM_FAST_CHOOSE(PairwiseKernels, target, kPairwiseKernels);
}

}  // namespace halfmark::fast
#endif
