/* SPDX-License-Identifier: Apache-2.0
 *
 * fp16 arithmetic by the processor's own instructions (AVX512-FP16, Armv8.2 FP16). Follows the
 * software device's dialect.h in place of its half.h, and only where the compiler uses those
 * instructions (processor.hpp): elsewhere it would compute in float. There is no bf16 arithmetic:
 * AVX512-BF16 and Armv8.6 BF16 have only conversions and products that accumulate in fp32.
 *
 * Assumption: the build defines HM_HOST_NATIVE_HALF, so that dialect.h leaves packs of fp16 to this
 * text.
 */
#define HM_HAS_HALF_ARITH 1
typedef _Float16 hm_half_t;
static inline hm_half_t hm_half_from_bits(HM_HALF bits) {
  return __builtin_bit_cast(hm_half_t, bits);
}
static inline HM_HALF hm_half_to_bits(hm_half_t value) {
  return __builtin_bit_cast(HM_HALF, value);
}
static inline hm_half_t hm_hadd(hm_half_t a, hm_half_t b) { return a + b; }
static inline hm_half_t hm_hsub(hm_half_t a, hm_half_t b) { return a - b; }
static inline hm_half_t hm_hmul(hm_half_t a, hm_half_t b) { return a * b; }
static inline hm_half_t hm_hdiv(hm_half_t a, hm_half_t b) { return a / b; }
static inline hm_half_t hm_hsqrt(hm_half_t a) { return __builtin_sqrtf16(a); }
static inline hm_half_t hm_hfma(hm_half_t a, hm_half_t b, hm_half_t c) {
  return __builtin_fmaf16(a, b, c);
}

#ifdef HM_PACK_FP16
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
typedef hm_half_t hm_pack_t __attribute__((vector_size(2 * HM_PACK_WIDTH)));
typedef HM_HALF hm_pack_bits __attribute__((vector_size(2 * HM_PACK_WIDTH)));
static inline hm_pack_t hm_pack_splat(unsigned bits) {
  hm_pack_t v;
  HM_PACK_LANES v[lane] = hm_half_from_bits(static_cast<HM_HALF>(bits));
  return v;
}
static inline hm_pack_t hm_pack_load(const HM_HALF* p, int i) {
  hm_pack_t v;
  __builtin_memcpy(&v, p + i * HM_PACK_WIDTH, sizeof(v));
  return v;
}
static inline void hm_pack_store(HM_HALF* p, int i, hm_pack_t v) {
  __builtin_memcpy(p + i * HM_PACK_WIDTH, &v, sizeof(v));
}
static inline hm_pack_t hm_pack_flip(hm_pack_t v) {
  hm_pack_bits bits;
  __builtin_memcpy(&bits, &v, sizeof(bits));
  bits ^= 1;
  __builtin_memcpy(&v, &bits, sizeof(v));
  return v;
}
static inline hm_pack_t hm_pack_add(hm_pack_t a, hm_pack_t b) { return a + b; }
static inline hm_pack_t hm_pack_mul(hm_pack_t a, hm_pack_t b) { return a * b; }
static inline hm_pack_t hm_pack_fma(hm_pack_t a, hm_pack_t b, hm_pack_t c) {
  hm_pack_t v;
  HM_PACK_LANES v[lane] = __builtin_fmaf16(a[lane], b[lane], c[lane]);
  return v;
}
#endif
