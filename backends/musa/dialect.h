// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md for MUSA, whose language accepts CUDA's words. fp16 in memory is
// converted in integers, which needs no header; fp16 arithmetic needs musa_fp16.h, and is left out
// of the build when that is missing.

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

// Packed numbers, for kernels/rates.hk: one number, or the two halves of a __half2.
#ifdef HM_PACK_WIDTH
#define hm_pack_load(p, i) (((const hm_pack_t*)(p))[i])
#define hm_pack_store(p, i, v) (((hm_pack_t*)(p))[i] = (v))
#if defined(HM_PACK_FP32) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
typedef float hm_pack_t;
#define hm_pack_splat(bits) HM_U2F(bits)
#define hm_pack_flip(v) HM_U2F(HM_F2U(v) ^ 1u)
#define hm_pack_add(a, b) ((a) + (b))
#define hm_pack_mul(a, b) ((a) * (b))
#define hm_pack_fma(a, b, c) fmaf(a, b, c)
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef hm_half_t hm_pack_t;
#define hm_pack_splat(bits) hm_half_from_bits(bits)
#define hm_pack_flip(v) hm_half_from_bits(hm_half_to_bits(v) ^ 1u)
#define hm_pack_add(a, b) hm_hadd(a, b)
#define hm_pack_mul(a, b) hm_hmul(a, b)
#define hm_pack_fma(a, b, c) hm_hfma(a, b, c)
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH) && HM_PACK_WIDTH == 2
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef __half2 hm_pack_t;
#define hm_pack_splat(bits) __halves2half2(hm_half_from_bits(bits), hm_half_from_bits(bits))
HM_FN __half2 hm_pack_flip(__half2 v) {
  return __halves2half2(hm_half_from_bits(hm_half_to_bits(__low2half(v)) ^ 1u),
                        hm_half_from_bits(hm_half_to_bits(__high2half(v)) ^ 1u));
}
#define hm_pack_add(a, b) __hadd2(a, b)
#define hm_pack_mul(a, b) __hmul2(a, b)
#define hm_pack_fma(a, b, c) __hfma2(a, b, c)
#elif defined(HM_PACK_HALF) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef HM_HALF hm_pack_t;
#define hm_pack_flip(v) ((HM_HALF)((v) ^ 1u))
#define hm_pack_widen(v) HM_F2U(hm_mtgpu_widen(v))
#define hm_pack_narrow(bits) ((HM_HALF)hm_mtgpu_narrow(HM_U2F(bits)))
#endif
#endif
