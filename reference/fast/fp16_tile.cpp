// SPDX-License-Identifier: Apache-2.0
// Tiles in native fp16. Each step is one instruction of one rounding; fp16 subnormals are kept
// whatever the thread's state says.
#include "reference/fast/half_kernels.hpp"
#include "reference/fast/tile_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace halfmark::fast {
namespace {

#define HM_FAST_FP16 __attribute__((target("avx512f,avx512vl,avx512bw,avx512fp16")))

constexpr std::size_t kRows = 14;
constexpr std::size_t kVectors = 2;
constexpr std::size_t kLanes = 32;

template <bool kFused>
HM_FAST_FP16 void tile(const std::uint16_t* a, const std::uint16_t* b, std::size_t depth,
                       std::uint16_t* sums, std::size_t stride) {
  __m512h sum[kRows][kVectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[i][v] = _mm512_load_ph(sums + i * stride + v * kLanes);
    }
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const __m512h low = _mm512_load_ph(b + k * kVectors * kLanes);
    const __m512h high = _mm512_load_ph(b + (k * kVectors + 1) * kLanes);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto bits = static_cast<short>(a[i * kRowStride + k]);
      const __m512h element = _mm512_castsi512_ph(_mm512_set1_epi16(bits));
      if constexpr (kFused) {
        sum[i][0] = _mm512_fmadd_ph(element, low, sum[i][0]);
        sum[i][1] = _mm512_fmadd_ph(element, high, sum[i][1]);
      } else {
        sum[i][0] = _mm512_add_ph(sum[i][0], _mm512_mul_ph(element, low));
        sum[i][1] = _mm512_add_ph(sum[i][1], _mm512_mul_ph(element, high));
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm512_store_ph(sums + i * stride + v * kLanes, sum[i][v]);
    }
  }
}

constexpr Fp16Kernels kKernels{
    .rows = kRows, .columns = kVectors * kLanes, .fma = tile<true>, .mul = tile<false>};

}  // namespace

const Fp16Kernels* fp16_kernels(Target target) {
  return target == Target::kAvx3Spr ? &kKernels : nullptr;
}

}  // namespace halfmark::fast

#else

namespace halfmark::fast {

const Fp16Kernels* fp16_kernels(Target) { return nullptr; }

}  // namespace halfmark::fast

#endif
