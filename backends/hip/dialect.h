// SPDX-License-Identifier: Apache-2.0
//
// The words of kernels/README.md for HIP, as Clang's own attributes and builtins: hipRTC and a bare
// Clang read the same text, no header is included (hip_fp16.h redefines what hipRTC has built in),
// and nothing is taken from a header that contraction could reach.

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
