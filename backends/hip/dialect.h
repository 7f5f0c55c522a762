// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md for HIP, as Clang's own attributes and builtins: hipRTC and a bare
// Clang compile the same text. Includes no header (hip_fp16.h redefines what hipRTC has built in),
// so no inlined header code is open to contraction.

#define HM_KERNEL extern "C" __attribute__((global)) void
#define HM_FN static __attribute__((device)) __attribute__((always_inline)) inline
#define HM_GLOBAL
#define HM_LPTR
#define HM_CONST_TABLE(type, name) static __attribute__((constant)) const type name
#define HM_LOCAL(type, name, count) static __attribute__((shared)) type name[count]
HM_FN void hm_gcn_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define HM_BARRIER() hm_gcn_barrier()

#define HM_AXIS_0 x
#define HM_AXIS_1 y
#define HM_AXIS_2 z
#define HM_AXIS_NOW(what, axis) __builtin_amdgcn_##what##_##axis()
#define HM_AXIS(what, axis) ((int)HM_AXIS_NOW(what, axis))
#define HM_LID(d) HM_AXIS(workitem_id, HM_AXIS_##d)
#define HM_GID(d) HM_AXIS(workgroup_id, HM_AXIS_##d)
#define HM_LSIZE(d) HM_AXIS(workgroup_size, HM_AXIS_##d)
#define HM_NGROUPS(d) (HM_AXIS(grid_size, HM_AXIS_##d) / HM_LSIZE(d))

#define HM_U64 unsigned long long
#define HM_F2U(x) __builtin_bit_cast(unsigned, (float)(x))
#define HM_U2F(x) __builtin_bit_cast(float, (unsigned)(x))

#define HM_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define HM_LDEXP(x, n) __builtin_amdgcn_ldexpf(x, n)
#define HM_RINT(x) __builtin_rintf(x)
#define HM_NATIVE_DIV(a, b) ((float)(a) / (float)(b))
#define HM_NATIVE_SQRT(a) __builtin_sqrtf(a)

#define HM_HALF unsigned short
HM_FN float hm_gcn_load(const HM_HALF* p, int i) {
  return (float)__builtin_bit_cast(_Float16, p[i]);
}
HM_FN void hm_gcn_store(HM_HALF* p, int i, float value) {
  p[i] = __builtin_bit_cast(HM_HALF, (_Float16)value);
}
#define hm_half_load(p, i) hm_gcn_load(p, i)
#define hm_half_store(p, i, f) hm_gcn_store(p, i, f)

#ifdef HM_HAS_HALF_ARITH
#define hm_half_t _Float16
#define hm_half_from_bits(u) __builtin_bit_cast(_Float16, (HM_HALF)(u))
#define hm_half_to_bits(h) __builtin_bit_cast(HM_HALF, (_Float16)(h))
#define hm_hadd(a, b) ((_Float16)((a) + (b)))
#define hm_hsub(a, b) ((_Float16)((a) - (b)))
#define hm_hmul(a, b) ((_Float16)((a) * (b)))
#define hm_hdiv(a, b) ((_Float16)((a) / (b)))
#define hm_hsqrt(a) __builtin_sqrtf16(a)
#define hm_hfma(a, b, c) __builtin_fmaf16(a, b, c)
#endif

// Packed numbers, for kernels/rates.hk: Clang's vectors, which become packed instructions if the
// processor has them.
#if defined(HM_PACK_WIDTH) && (HM_PACK_WIDTH == 1 || defined(__clang__))
#if HM_PACK_WIDTH == 1
#define HM_GCN_PACK(type, name) typedef type name;
#define HM_GCN_LANE(v, lane) (v)
#else
#define HM_GCN_PACK(type, name) \
  typedef type name __attribute__((ext_vector_type(HM_PACK_WIDTH), may_alias));
#define HM_GCN_LANE(v, lane) ((v)[lane])
#endif
#define HM_GCN_LANES for (int lane = 0; lane < HM_PACK_WIDTH; lane += 1)
#if defined(HM_PACK_FP32)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
#define HM_GCN_WORD unsigned
#define HM_GCN_ELEMENT float
#define HM_GCN_FMA __builtin_fmaf
HM_GCN_PACK(float, hm_pack_t)
#elif defined(HM_PACK_FP16) && defined(HM_HAS_HALF_ARITH)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
#define HM_GCN_WORD HM_HALF
#define HM_GCN_ELEMENT _Float16
#define HM_GCN_FMA __builtin_fmaf16
HM_GCN_PACK(_Float16, hm_pack_t)
#elif defined(HM_PACK_HALF)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
#define HM_GCN_WORD HM_HALF
HM_GCN_PACK(HM_HALF, hm_pack_t)
HM_GCN_PACK(unsigned, hm_gcn_wide_t)
HM_FN hm_gcn_wide_t hm_pack_widen(hm_pack_t v) {
  hm_gcn_wide_t wide;
  HM_GCN_LANES HM_GCN_LANE(wide, lane) =
      HM_F2U((float)__builtin_bit_cast(_Float16, (HM_HALF)HM_GCN_LANE(v, lane)));
  return wide;
}
HM_FN hm_pack_t hm_pack_narrow(hm_gcn_wide_t wide) {
  hm_pack_t v;
  HM_GCN_LANES HM_GCN_LANE(v, lane) =
      __builtin_bit_cast(HM_HALF, (_Float16)HM_U2F(HM_GCN_LANE(wide, lane)));
  return v;
}
#endif
#ifdef HM_HAS_PACK
HM_GCN_PACK(HM_GCN_WORD, hm_gcn_words_t)
#define hm_pack_load(p, i) (((const hm_pack_t*)(p))[i])
#define hm_pack_store(p, i, v) (((hm_pack_t*)(p))[i] = (v))
#define hm_pack_flip(v)         \
  __builtin_bit_cast(hm_pack_t, \
                     (hm_gcn_words_t)(__builtin_bit_cast(hm_gcn_words_t, v) ^ (HM_GCN_WORD)1))
#endif
#ifdef HM_GCN_FMA
HM_FN hm_pack_t hm_pack_splat(unsigned bits) {
  hm_pack_t v;
  HM_GCN_LANES HM_GCN_LANE(v, lane) = __builtin_bit_cast(HM_GCN_ELEMENT, (HM_GCN_WORD)bits);
  return v;
}
#define hm_pack_add(a, b) ((hm_pack_t)((a) + (b)))
#define hm_pack_mul(a, b) ((hm_pack_t)((a) * (b)))
HM_FN hm_pack_t hm_pack_fma(hm_pack_t a, hm_pack_t b, hm_pack_t c) {
#if HM_PACK_WIDTH > 1 && __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#else
  hm_pack_t v;
  HM_GCN_LANES HM_GCN_LANE(v, lane) =
      HM_GCN_FMA(HM_GCN_LANE(a, lane), HM_GCN_LANE(b, lane), HM_GCN_LANE(c, lane));
  return v;
#endif
}
#endif
#endif
