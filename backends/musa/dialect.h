// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md for MUSA, whose language takes CUDA's words. fp16 in memory is
// converted in integers, so that it needs no header; fp16 arithmetic needs musa_fp16.h, and is left
// out of the build where that is not found.

#define HM_FN static __device__ __attribute__((always_inline)) inline

#define HM_FMA(a, b, c) fmaf(a, b, c)
#define HM_NATIVE_DIV(a, b) ((float)(a) / (float)(b))
#define HM_NATIVE_SQRT(a) sqrtf(a)

HM_FN float hm_mtgpu_widen(unsigned bits) {
  unsigned sign = (bits & 0x8000u) << 16;
  unsigned rest = bits & 0x7fffu;
  if (rest >= 0x7c00u) return HM_U2F(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
  if (rest >= 0x400u) return HM_U2F(sign | ((rest << 13) + 0x38000000u));
  if (rest == 0u) return HM_U2F(sign);
  unsigned exponent = 113u;
  while ((rest & 0x400u) == 0u) {
    rest <<= 1;
    exponent -= 1u;
  }
  return HM_U2F(sign | (exponent << 23) | ((rest & 0x3ffu) << 13));
}
HM_FN unsigned hm_mtgpu_narrow(float value) {
  unsigned bits = HM_F2U(value);
  unsigned sign = (bits >> 16) & 0x8000u;
  unsigned rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u | ((rest >> 13) & 0x3ffu);
  if (rest >= 0x477ff000u) return sign | 0x7c00u;
  if (rest >= 0x38800000u)
    return sign | ((rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13);
  if (rest <= 0x33000000u) return sign;
  unsigned significand = (rest & 0x7fffffu) | 0x800000u;
  unsigned shift = 126u - (rest >> 23);
  unsigned kept = significand >> shift;
  unsigned lost = significand & ((1u << shift) - 1u);
  unsigned tie = 1u << (shift - 1u);
  return sign | (kept + (lost > tie || (lost == tie && (kept & 1u) != 0u) ? 1u : 0u));
}
#define hm_half_load(p, i) hm_mtgpu_widen((p)[i])
#define hm_half_store(p, i, f) ((p)[i] = (HM_HALF)hm_mtgpu_narrow(f))

#ifdef HM_HAS_HALF_ARITH
#if __has_include(<musa_fp16.h>)
#include <musa_fp16.h>
#define hm_half_t __half
#define hm_half_from_bits(u) __ushort_as_half((HM_HALF)(u))
#define hm_half_to_bits(h) __half_as_ushort(h)
#define hm_hadd(a, b) __hadd(a, b)
#define hm_hsub(a, b) __hsub(a, b)
#define hm_hmul(a, b) __hmul(a, b)
#define hm_hdiv(a, b) __hdiv(a, b)
#define hm_hsqrt(a) hsqrt(a)
#define hm_hfma(a, b, c) __hfma(a, b, c)
#else
#undef HM_HAS_HALF_ARITH
#endif
#endif
