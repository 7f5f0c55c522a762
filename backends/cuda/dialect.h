// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md in CUDA C++, for NVRTC. Includes no header: cuda_fp16.h is not
// part of NVRTC and may not be installed, so fp16 is 16 bits of storage and inline PTX.
//
// Only --fmad=false turns contraction off: NVRTC ignores the STDC pragma. The explicit .rn in PTX
// also keeps the assembler from fusing.

#define HM_FN static __device__ __forceinline__

#define HM_FMA(a, b, c) __fmaf_rn(a, b, c)
#define HM_NATIVE_DIV(a, b) __fdiv_rn(a, b)
#define HM_NATIVE_SQRT(a) __fsqrt_rn(a)

#define HM_HAS_FUNCTIONS 1
#define HM_VENDOR_EXP(x) expf(x)
#define HM_VENDOR_EXP2(x) exp2f(x)
#define HM_VENDOR_LOG(x) logf(x)
#define HM_VENDOR_LOG2(x) log2f(x)
#define HM_VENDOR_RSQRT(x) rsqrtf(x)
#define HM_VENDOR_TANH(x) tanhf(x)
#define HM_VENDOR_ERF(x) erff(x)
#define HM_VENDOR_SIN(x) sinf(x)
#define HM_VENDOR_COS(x) cosf(x)
#define HM_VENDOR_TAN(x) tanf(x)
#define HM_VENDOR_ASIN(x) asinf(x)
#define HM_VENDOR_ACOS(x) acosf(x)
#define HM_VENDOR_ATAN(x) atanf(x)
#define HM_VENDOR_SINH(x) sinhf(x)
#define HM_VENDOR_COSH(x) coshf(x)
#define HM_VENDOR_EXP10(x) exp10f(x)
#define HM_VENDOR_EXPM1(x) expm1f(x)
#define HM_VENDOR_LOG10(x) log10f(x)
#define HM_VENDOR_LOG1P(x) log1pf(x)
#define HM_VENDOR_CBRT(x) cbrtf(x)
#define HM_VENDOR_ERFC(x) erfcf(x)
#define HM_VENDOR_SQRT(x) sqrtf(x)
#define HM_VENDOR_RECIP(x) (1.0f / (x))
#define HM_VENDOR_DIV(x, w) ((x) / (w))
#define HM_HAS_FAST_RECIP 1
#define HM_VENDOR_FAST_RECIP(x) hm_ptx_recip(x)
#define HM_HAS_PI_FUNCTIONS 1
#define HM_VENDOR_SINPI(x) sinpif(x)
#define HM_VENDOR_COSPI(x) cospif(x)
#define HM_VENDOR_POW(x, w) powf(x, w)
#define HM_VENDOR_ATAN2(x, w) atan2f(x, w)
#define HM_VENDOR_HYPOT(x, w) hypotf(x, w)
#define HM_VENDOR_FMOD(x, w) fmodf(x, w)
#define HM_VENDOR_REMAINDER(x, w) remainderf(x, w)

// What 1.0f / x becomes with -prec-div=false and -ftz=true.
HM_FN float hm_ptx_recip(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
HM_FN float hm_ptx_widen(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
HM_FN unsigned short hm_ptx_narrow(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}
#define hm_half_load(p, i) hm_ptx_widen((p)[i])
#define hm_half_store(p, i, f) ((p)[i] = hm_ptx_narrow(f))

#ifdef HM_HAS_HALF_ARITH
typedef unsigned short hm_half_t;
#define hm_half_from_bits(u) ((hm_half_t)(u))
#define hm_half_to_bits(h) ((HM_HALF)(h))
#define HM_PTX_HALF(name, instruction)                          \
  HM_FN hm_half_t name(hm_half_t a, hm_half_t b) {              \
    hm_half_t d;                                                \
    asm(instruction " %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); \
    return d;                                                   \
  }
HM_PTX_HALF(hm_hadd, "add.rn.f16")
HM_PTX_HALF(hm_hsub, "sub.rn.f16")
HM_PTX_HALF(hm_hmul, "mul.rn.f16")
HM_FN hm_half_t hm_hfma(hm_half_t a, hm_half_t b, hm_half_t c) {
  hm_half_t d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
  return d;
}
// PTX has neither. For these two operations, rounding the fp32 result again equals rounding once.
HM_FN hm_half_t hm_hdiv(hm_half_t a, hm_half_t b) {
  return hm_ptx_narrow(__fdiv_rn(hm_ptx_widen(a), hm_ptx_widen(b)));
}
HM_FN hm_half_t hm_hsqrt(hm_half_t a) { return hm_ptx_narrow(__fsqrt_rn(hm_ptx_widen(a))); }
#endif

// Packed numbers, for kernels/rates.hk: one PTX register with one number or two.
#ifdef HM_PACK_WIDTH
#define HM_PTX_PACK_OPERATION(name, instruction, letter)                    \
  HM_FN hm_pack_t name(hm_pack_t a, hm_pack_t b) {                          \
    hm_pack_t d;                                                            \
    asm(instruction " %0, %1, %2;" : "=" letter(d) : letter(a), letter(b)); \
    return d;                                                               \
  }
#define HM_PTX_PACK(suffix, letter)                                                             \
  HM_PTX_PACK_OPERATION(hm_pack_add, "add.rn." suffix, letter)                                  \
  HM_PTX_PACK_OPERATION(hm_pack_mul, "mul.rn." suffix, letter)                                  \
  HM_FN hm_pack_t hm_pack_fma(hm_pack_t a, hm_pack_t b, hm_pack_t c) {                          \
    hm_pack_t d;                                                                                \
    asm("fma.rn." suffix " %0, %1, %2, %3;" : "=" letter(d) : letter(a), letter(b), letter(c)); \
    return d;                                                                                   \
  }
#define hm_pack_load(p, i) (((const hm_pack_t*)(p))[i])
#define hm_pack_store(p, i, v) (((hm_pack_t*)(p))[i] = (v))
#if defined(HM_PACK_FP32) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
#define hm_pack_t float
#define hm_pack_splat(bits) HM_U2F(bits)
#define hm_pack_flip(v) HM_U2F(HM_F2U(v) ^ 1u)
#define hm_pack_add(a, b) __fadd_rn(a, b)
#define hm_pack_mul(a, b) __fmul_rn(a, b)
#define hm_pack_fma(a, b, c) __fmaf_rn(a, b, c)
#elif defined(HM_PACK_FP32) && HM_PACK_WIDTH == 2 && __CUDA_ARCH__ >= 1000
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
typedef unsigned long long hm_pack_t;
HM_PTX_PACK("f32x2", "l")
#define hm_pack_splat(bits) ((hm_pack_t)(bits) << 32 | (hm_pack_t)(bits))
#define hm_pack_flip(v) ((v) ^ 0x100000001ull)
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef unsigned short hm_pack_t;
HM_PTX_PACK("f16", "h")
#define hm_pack_splat(bits) ((hm_pack_t)(bits))
#define hm_pack_flip(v) ((hm_pack_t)((v) ^ 1u))
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH) && HM_PACK_WIDTH == 2
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef unsigned hm_pack_t;
HM_PTX_PACK("f16x2", "r")
#define hm_pack_splat(bits) ((hm_pack_t)(bits) << 16 | (hm_pack_t)(bits))
#define hm_pack_flip(v) ((v) ^ 0x10001u)
#elif defined(HM_PACK_BF16) && __CUDA_ARCH__ >= 900 && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef unsigned short hm_pack_t;
HM_PTX_PACK("bf16", "h")
#define hm_pack_splat(bits) ((hm_pack_t)(bits))
#define hm_pack_flip(v) ((hm_pack_t)((v) ^ 1u))
#elif defined(HM_PACK_BF16) && __CUDA_ARCH__ >= 900 && HM_PACK_WIDTH == 2
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef unsigned hm_pack_t;
HM_PTX_PACK("bf16x2", "r")
#define hm_pack_splat(bits) ((hm_pack_t)(bits) << 16 | (hm_pack_t)(bits))
#define hm_pack_flip(v) ((v) ^ 0x10001u)
#elif defined(HM_PACK_HALF) && HM_PACK_WIDTH == 1
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef unsigned short hm_pack_t;
#define hm_pack_flip(v) ((hm_pack_t)((v) ^ 1u))
#define hm_pack_widen(v) HM_F2U(hm_ptx_widen(v))
#define hm_pack_narrow(bits) hm_ptx_narrow(HM_U2F(bits))
#endif
#endif
