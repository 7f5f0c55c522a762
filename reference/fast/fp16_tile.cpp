// SPDX-License-Identifier: Apache-2.0
// Tiles in native fp16. Each step is one instruction with one rounding. fp16 subnormals are kept:
// on x86-64 in every thread state, on AArch64 because of the FloatingPointScope.
#include "reference/fast/half_kernels.hpp"
#include "reference/fast/tile_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace halfmark::fast {
#if defined(__x86_64__) || defined(__aarch64__)
namespace {

#if defined(__x86_64__)
#define HM_FAST_FP16 __attribute__((target("avx512f,avx512vl,avx512bw,avx512fp16")))
constexpr Target kNative = Target::kAvx3Spr;
constexpr std::size_t kRows = 14;
constexpr std::size_t kVectors = 2;
constexpr std::size_t kLanes = 32;
using Vector = __m512h;

HM_FAST_FP16 inline Vector load(const std::uint16_t* from) { return _mm512_load_ph(from); }
HM_FAST_FP16 inline void store(std::uint16_t* to, Vector v) { _mm512_store_ph(to, v); }
HM_FAST_FP16 inline Vector every_lane(std::uint16_t bits) {
  return _mm512_castsi512_ph(_mm512_set1_epi16(static_cast<short>(bits)));
}
HM_FAST_FP16 inline Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ph(a, b, c); }
HM_FAST_FP16 inline Vector add(Vector a, Vector b) { return _mm512_add_ph(a, b); }
HM_FAST_FP16 inline Vector mul(Vector a, Vector b) { return _mm512_mul_ph(a, b); }
#else
#define HM_FAST_FP16 __attribute__((target("arch=armv8.2-a+fp16")))
constexpr Target kNative = Target::kNeonFp16;
constexpr std::size_t kRows = 8;
constexpr std::size_t kVectors = 3;
constexpr std::size_t kLanes = 8;
using Vector = float16x8_t;

HM_FAST_FP16 inline Vector load(const std::uint16_t* from) {
  return vreinterpretq_f16_u16(vld1q_u16(from));
}
HM_FAST_FP16 inline void store(std::uint16_t* to, Vector v) {
  vst1q_u16(to, vreinterpretq_u16_f16(v));
}
HM_FAST_FP16 inline Vector every_lane(std::uint16_t bits) {
  return vreinterpretq_f16_u16(vdupq_n_u16(bits));
}
HM_FAST_FP16 inline Vector fma(Vector a, Vector b, Vector c) { return vfmaq_f16(c, a, b); }
HM_FAST_FP16 inline Vector add(Vector a, Vector b) { return vaddq_f16(a, b); }
HM_FAST_FP16 inline Vector mul(Vector a, Vector b) { return vmulq_f16(a, b); }
#endif

template <bool kFused>
HM_FAST_FP16 void tile(const std::uint16_t* a, const std::uint16_t* b, std::size_t depth,
                       std::uint16_t* sums, std::size_t stride) {
  Vector sum[kRows][kVectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) sum[i][v] = load(sums + i * stride + v * kLanes);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    Vector row[kVectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = load(b + (k * kVectors + v) * kLanes);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
      const Vector element = every_lane(a[i * kRowStride + k]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[i][v] = kFused ? fma(element, row[v], sum[i][v]) : add(sum[i][v], mul(element, row[v]));
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) store(sums + i * stride + v * kLanes, sum[i][v]);
  }
}

constexpr Fp16Kernels kKernels{
    .rows = kRows, .columns = kVectors * kLanes, .fma = tile<true>, .mul = tile<false>};

}  // namespace

const Fp16Kernels* fp16_kernels(Target target) { return target == kNative ? &kKernels : nullptr; }
#else
const Fp16Kernels* fp16_kernels(Target) { return nullptr; }
#endif

}  // namespace halfmark::fast
