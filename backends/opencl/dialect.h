// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md in OpenCL C 1.2. HM_HAS_CR_DIVSQRT and HM_HAS_HALF_ARITH are
// defined before this text according to the device's report: a compiler may define cl_khr_fp16 for
// a device without it.

// Contraction is on by default in OpenCL C.
#pragma OPENCL FP_CONTRACT OFF

#define HM_KERNEL __kernel void
// Always inlined: a compiler (PoCL 3.1) that keeps a helper with a local-memory parameter
// propagates the array's address into it, and then shares that array between all work-groups.
#define HM_FN static inline __attribute__((always_inline))
#define HM_GLOBAL __global
#define HM_LPTR __local
#define HM_CONST_TABLE(type, name) __constant type name
#define HM_LOCAL(type, name, count) __local type name[count]
#define HM_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define HM_LID(d) ((int)get_local_id(d))
#define HM_GID(d) ((int)get_group_id(d))
#define HM_LSIZE(d) ((int)get_local_size(d))
#define HM_NGROUPS(d) ((int)get_num_groups(d))

#define HM_U64 ulong
#define HM_F2U(x) as_uint((float)(x))
#define HM_U2F(x) as_float((uint)(x))

#define HM_FMA(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define HM_LDEXP(x, n) ldexp((float)(x), (int)(n))
#define HM_RINT(x) rint((float)(x))
#define HM_NATIVE_DIV(a, b) ((float)(a) / (float)(b))
#define HM_NATIVE_SQRT(a) sqrt((float)(a))

#define HM_HAS_FUNCTIONS 1
#define HM_VENDOR_EXP(x) exp((float)(x))
#define HM_VENDOR_EXP2(x) exp2((float)(x))
#define HM_VENDOR_LOG(x) log((float)(x))
#define HM_VENDOR_LOG2(x) log2((float)(x))
#define HM_VENDOR_RSQRT(x) rsqrt((float)(x))
#define HM_VENDOR_TANH(x) tanh((float)(x))
#define HM_VENDOR_ERF(x) erf((float)(x))
#define HM_VENDOR_SIN(x) sin((float)(x))
#define HM_VENDOR_COS(x) cos((float)(x))
#define HM_VENDOR_TAN(x) tan((float)(x))
#define HM_VENDOR_ASIN(x) asin((float)(x))
#define HM_VENDOR_ACOS(x) acos((float)(x))
#define HM_VENDOR_ATAN(x) atan((float)(x))
#define HM_VENDOR_SINH(x) sinh((float)(x))
#define HM_VENDOR_COSH(x) cosh((float)(x))
#define HM_VENDOR_EXP10(x) exp10((float)(x))
#define HM_VENDOR_EXPM1(x) expm1((float)(x))
#define HM_VENDOR_LOG10(x) log10((float)(x))
#define HM_VENDOR_LOG1P(x) log1p((float)(x))
#define HM_VENDOR_CBRT(x) cbrt((float)(x))
#define HM_VENDOR_ERFC(x) erfc((float)(x))
#define HM_VENDOR_SQRT(x) sqrt((float)(x))
#define HM_VENDOR_RECIP(x) (1.0f / (float)(x))
#define HM_VENDOR_DIV(x, w) ((float)(x) / (float)(w))
#define HM_VENDOR_POW(x, w) pow((float)(x), (float)(w))
#define HM_VENDOR_ATAN2(x, w) atan2((float)(x), (float)(w))
#define HM_VENDOR_HYPOT(x, w) hypot((float)(x), (float)(w))
#define HM_VENDOR_FMOD(x, w) fmod((float)(x), (float)(w))
#define HM_VENDOR_REMAINDER(x, w) remainder((float)(x), (float)(w))
#define HM_HAS_FAST_RECIP 1
#define HM_VENDOR_FAST_RECIP(x) native_recip((float)(x))
#define HM_HAS_PI_FUNCTIONS 1
#define HM_VENDOR_SINPI(x) sinpi((float)(x))
#define HM_VENDOR_COSPI(x) cospi((float)(x))
#define HM_HAS_POWERS 1
#define HM_VENDOR_POWR(x, w) powr((float)(x), (float)(w))
#define HM_VENDOR_POWN(x, n) pown((float)(x), (int)(n))
#define HM_HAS_HALF_FUNCTIONS 1
#define HM_VENDOR_HALF_EXP(x) half_exp((float)(x))
#define HM_VENDOR_HALF_EXP2(x) half_exp2((float)(x))
#define HM_VENDOR_HALF_LOG(x) half_log((float)(x))
#define HM_VENDOR_HALF_LOG2(x) half_log2((float)(x))
#define HM_VENDOR_HALF_RSQRT(x) half_rsqrt((float)(x))
#define HM_VENDOR_HALF_EXP10(x) half_exp10((float)(x))
#define HM_VENDOR_HALF_LOG10(x) half_log10((float)(x))
#define HM_VENDOR_HALF_SIN(x) half_sin((float)(x))
#define HM_VENDOR_HALF_COS(x) half_cos((float)(x))
#define HM_VENDOR_HALF_TAN(x) half_tan((float)(x))
#define HM_VENDOR_HALF_SQRT(x) half_sqrt((float)(x))
#define HM_VENDOR_HALF_RECIP(x) half_recip((float)(x))
#define HM_VENDOR_HALF_DIVIDE(x, w) half_divide((float)(x), (float)(w))
#define HM_VENDOR_HALF_POWR(x, w) half_powr((float)(x), (float)(w))

#define HM_HALF ushort
#define hm_half_load(p, i) vload_half((i), (__global const half*)(p))
#define hm_half_store(p, i, f) vstore_half_rte((float)(f), (i), (__global half*)(p))

#ifdef HM_HAS_HALF_ARITH
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define hm_half_t half
#define hm_half_from_bits(u) as_half((ushort)(u))
#define hm_half_to_bits(h) as_ushort((half)(h))
#define hm_hadd(a, b) ((half)(a) + (half)(b))
#define hm_hsub(a, b) ((half)(a) - (half)(b))
#define hm_hmul(a, b) ((half)(a) * (half)(b))
#define hm_hdiv(a, b) ((half)(a) / (half)(b))
#define hm_hsqrt(a) sqrt((half)(a))
#define hm_hfma(a, b, c) fma((half)(a), (half)(b), (half)(c))
#define HM_VENDOR_FP16(name, x) name((half)(x))
#define HM_VENDOR_FP16_PAIR(name, x, w) name((half)(x), (half)(w))
#define HM_VENDOR_FP16_POWN(x, n) pown((half)(x), (int)(n))
#endif

// Packed numbers, for kernels/rates.hk. Halves without arithmetic are loaded from and stored to
// private memory, which every version of the language supports.
#ifdef HM_PACK_WIDTH
#define HM_PASTED_NOW(a, b) a##b
#define HM_PASTED(a, b) HM_PASTED_NOW(a, b)
#if HM_PACK_WIDTH == 1
#define HM_PACKED(type) type
#define HM_PACKED_AS(type) as_##type
#define HM_PACK_LOAD(type, p, i) ((p)[i])
#define HM_PACK_STORE(type, p, i, v) ((p)[i] = (v))
#else
#define HM_PACKED(type) HM_PASTED(type, HM_PACK_WIDTH)
#define HM_PACKED_AS(type) HM_PASTED(as_##type, HM_PACK_WIDTH)
#define HM_PACK_LOAD(type, p, i) HM_PASTED(vload, HM_PACK_WIDTH)(i, p)
#define HM_PACK_STORE(type, p, i, v) HM_PASTED(vstore, HM_PACK_WIDTH)(v, i, p)
#endif

#if defined(HM_PACK_FP32)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
#define hm_pack_t HM_PACKED(float)
#define hm_pack_load(p, i) HM_PACK_LOAD(float, p, i)
#define hm_pack_store(p, i, v) HM_PACK_STORE(float, p, i, v)
#define hm_pack_splat(bits) ((hm_pack_t)(as_float((uint)(bits))))
#define hm_pack_flip(v) HM_PACKED_AS(float)(HM_PACKED_AS(uint)(v) ^ 1u)
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT ushort
#define hm_pack_t HM_PACKED(half)
#define hm_pack_load(p, i) HM_PACKED_AS(half)(HM_PACK_LOAD(ushort, p, i))
#define hm_pack_store(p, i, v) HM_PACK_STORE(ushort, p, i, HM_PACKED_AS(ushort)(v))
#define hm_pack_splat(bits) ((hm_pack_t)(as_half((ushort)(bits))))
#define hm_pack_flip(v) HM_PACKED_AS(half)((HM_PACKED(ushort))(HM_PACKED_AS(ushort)(v) ^ (ushort)1))
#elif defined(HM_PACK_HALF)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT ushort
#define hm_pack_t HM_PACKED(ushort)
#define hm_pack_load(p, i) HM_PACK_LOAD(ushort, p, i)
#define hm_pack_store(p, i, v) HM_PACK_STORE(ushort, p, i, v)
#define hm_pack_flip(v) ((hm_pack_t)((v) ^ (ushort)1))
#ifdef HM_HAS_HALF_ARITH
HM_FN HM_PACKED(uint) hm_pack_widen(hm_pack_t v) {
  return HM_PACKED_AS(uint)(HM_PASTED(convert_, HM_PACKED(float))(HM_PACKED_AS(half)(v)));
}
HM_FN hm_pack_t hm_pack_narrow(HM_PACKED(uint) bits) {
  return HM_PACKED_AS(ushort)(
      HM_PASTED(HM_PASTED(convert_, HM_PACKED(half)), _rte)(HM_PACKED_AS(float)(bits)));
}
#else
#if HM_PACK_WIDTH == 1
#define HM_PACK_HALVES(verb) verb
#else
#define HM_PACK_HALVES(verb) HM_PASTED(verb, HM_PACK_WIDTH)
#endif
HM_FN HM_PACKED(uint) hm_pack_widen(hm_pack_t v) {
  return HM_PACKED_AS(uint)(HM_PACK_HALVES(vload_half)(0, (const __private half*)&v));
}
HM_FN hm_pack_t hm_pack_narrow(HM_PACKED(uint) bits) {
  hm_pack_t v;
  HM_PASTED(HM_PACK_HALVES(vstore_half), _rte)(HM_PACKED_AS(float)(bits), 0, (__private half*)&v);
  return v;
}
#endif
#endif
#define hm_pack_add(a, b) ((a) + (b))
#define hm_pack_mul(a, b) ((a) * (b))
#define hm_pack_fma(a, b, c) fma(a, b, c)
#endif
