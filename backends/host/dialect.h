/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of kernels/README.md for the host's C++ compiler. Stands between item_abi.h and the
 * kernel text. Decides how the software device computes fp16; the processor's own unit computes
 * everything in fp32.
 *
 * Assumptions:
 *  1. g++ or clang++, C++17, contraction off, IEEE 754 float and double, round to nearest even
 * while kernels run.
 *  2. No header is included: compile time counts, and kernel text must not see other names.
 */
#define HM_KERNEL static void
#define HM_FN static inline
#define HM_GLOBAL
#define HM_LPTR
#define HM_CONST_TABLE(type, name) static const type name
#define HM_LOCAL(type, name, count) \
  type* const name =                \
      static_cast<type*>(hm_host_now->local_memory(hm_host_now, sizeof(type) * (count)))
#define HM_BARRIER() hm_host_now->barrier(hm_host_now, __LINE__)
#define HM_LID(d) (hm_host_now->item->lid[d])
#define HM_GID(d) (hm_host_now->gid[d])
#define HM_LSIZE(d) (hm_host_now->lsize[d])
#define HM_NGROUPS(d) (hm_host_now->ngroups[d])

/* The group that this thread is running. A group never changes threads. */
static thread_local hm_host_group* hm_host_now;

#define HM_U64 unsigned long long
#define HM_HALF unsigned short

static inline unsigned hm_host_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}
static inline float hm_host_float(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}
#define HM_F2U(x) hm_host_bits(x)
#define HM_U2F(x) hm_host_float(x)

#define HM_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define HM_RINT(x) __builtin_rintf(x)
#define HM_NATIVE_DIV(a, b) ((a) / (b))
#define HM_NATIVE_SQRT(a) __builtin_sqrtf(a)
#define HM_HAS_CR_DIVSQRT 1

/* The C library's functions; it has no rsqrt. */
#define HM_HAS_FUNCTIONS 1
#define HM_VENDOR_EXP(x) __builtin_expf(x)
#define HM_VENDOR_EXP2(x) __builtin_exp2f(x)
#define HM_VENDOR_LOG(x) __builtin_logf(x)
#define HM_VENDOR_LOG2(x) __builtin_log2f(x)
#define HM_VENDOR_RSQRT(x) (1.0f / __builtin_sqrtf(x))
#define HM_VENDOR_TANH(x) __builtin_tanhf(x)
#define HM_VENDOR_ERF(x) __builtin_erff(x)
#define HM_VENDOR_SIN(x) __builtin_sinf(x)
#define HM_VENDOR_COS(x) __builtin_cosf(x)
#define HM_VENDOR_TAN(x) __builtin_tanf(x)
#define HM_VENDOR_ASIN(x) __builtin_asinf(x)
#define HM_VENDOR_ACOS(x) __builtin_acosf(x)
#define HM_VENDOR_ATAN(x) __builtin_atanf(x)
#define HM_VENDOR_SINH(x) __builtin_sinhf(x)
#define HM_VENDOR_COSH(x) __builtin_coshf(x)
#define HM_VENDOR_EXP10(x) __builtin_exp10f(x)
#define HM_VENDOR_EXPM1(x) __builtin_expm1f(x)
#define HM_VENDOR_LOG10(x) __builtin_log10f(x)
#define HM_VENDOR_LOG1P(x) __builtin_log1pf(x)
#define HM_VENDOR_CBRT(x) __builtin_cbrtf(x)
#define HM_VENDOR_ERFC(x) __builtin_erfcf(x)
#define HM_VENDOR_SQRT(x) __builtin_sqrtf(x)
#define HM_VENDOR_RECIP(x) (1.0f / (x))
#define HM_VENDOR_DIV(x, w) ((x) / (w))
#define HM_VENDOR_POW(x, w) __builtin_powf(x, w)
#define HM_VENDOR_ATAN2(x, w) __builtin_atan2f(x, w)
#define HM_VENDOR_HYPOT(x, w) __builtin_hypotf(x, w)
#define HM_VENDOR_FMOD(x, w) __builtin_fmodf(x, w)
#define HM_VENDOR_REMAINDER(x, w) __builtin_remainderf(x, w)

/* The product is exact in double for every bounded power, so only the conversion rounds; beyond the
 * bound the result is always zero or infinity. */
static inline float hm_host_ldexp(float value, int power) {
  const int bounded = power > 400 ? 400 : power < -400 ? -400 : power;
  const HM_U64 scale_bits = static_cast<HM_U64>(1023 + bounded) << 52;
  double scale;
  __builtin_memcpy(&scale, &scale_bits, sizeof(scale));
  return static_cast<float>(static_cast<double>(value) * scale);
}
#define HM_LDEXP(x, n) hm_host_ldexp(x, n)

/* Conversions: by the processor if it has them, else in integers. HM_HOST_INTEGER_HALF forces
 * integers. */
#if (defined(__F16C__) || defined(__aarch64__)) && defined(__FLT16_MANT_DIG__) && \
    !defined(HM_HOST_INTEGER_HALF)
static inline float hm_host_from_half(unsigned bits) {
  const HM_HALF narrow = static_cast<HM_HALF>(bits);
  _Float16 value;
  __builtin_memcpy(&value, &narrow, sizeof(value));
  return static_cast<float>(value);
}
static inline unsigned hm_host_to_half(float value) {
  const _Float16 rounded = static_cast<_Float16>(value);
  HM_HALF bits;
  __builtin_memcpy(&bits, &rounded, sizeof(bits));
  return bits;
}
#else
static inline float hm_host_from_half(unsigned bits) {
  const unsigned sign = (bits & 0x8000u) << 16;
  const unsigned rest = bits & 0x7fffu;
  if (rest >= 0x7c00u) return HM_U2F(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x400u) return HM_U2F(sign | ((rest << 13) + 0x38000000u));
  /* A multiple of 2^-24 below 2^-14: exact, and a normal float. */
  return HM_U2F(sign | HM_F2U(static_cast<float>(static_cast<int>(rest)) * 0x1p-24f));
}
static inline unsigned hm_host_to_half(float value) {
  const unsigned bits = HM_F2U(value);
  const unsigned sign = bits >> 16 & 0x8000u;
  const unsigned rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u | (rest >> 13 & 0x3ffu);
  if (rest >= 0x477ff000u) return sign | 0x7c00u; /* 65520 and above */
  if (rest >= 0x38800000u) return sign | ((rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13);
  if (rest <= 0x33000000u) return sign; /* 2^-25 is a tie, and zero is even */
  const unsigned significand = (rest & 0x7fffffu) | 0x800000u;
  const unsigned shift = 126u - (rest >> 23);
  const unsigned kept = significand >> shift;
  const unsigned lost = significand & ((1u << shift) - 1u);
  const unsigned tie = 1u << (shift - 1u);
  return sign | (kept + (lost > tie || (lost == tie && (kept & 1u) != 0u) ? 1u : 0u));
}
#endif
static inline float hm_half_load(const HM_HALF* p, int i) { return hm_host_from_half(p[i]); }
static inline void hm_half_store(HM_HALF* p, int i, float value) {
  p[i] = static_cast<HM_HALF>(hm_host_to_half(value));
}

/* fp16 arithmetic: one operation in fp32, then one conversion. For + - * / and sqrt the second
 * rounding is innocuous, because fp32 has at least 2 * 11 + 2 bits (Figueroa, "When is double
 * rounding innocuous?", 1995). */
#define HM_HAS_HALF_ARITH 1
struct hm_half_t {
  HM_HALF bits;
};
static inline hm_half_t hm_half_from_bits(HM_HALF bits) { return hm_half_t{bits}; }
static inline HM_HALF hm_half_to_bits(hm_half_t value) { return value.bits; }
static inline float hm_host_widen(hm_half_t value) { return hm_host_from_half(value.bits); }
static inline hm_half_t hm_host_narrow(float value) {
  return hm_half_t{static_cast<HM_HALF>(hm_host_to_half(value))};
}
/* Functions: the C library's fp32 function, then one conversion. */
#define HM_VENDOR_FP16(name, x) hm_host_narrow(__builtin_##name##f(hm_host_widen(x)))
#define HM_VENDOR_FP16_PAIR(name, x, w) \
  hm_host_narrow(__builtin_##name##f(hm_host_widen(x), hm_host_widen(w)))
static inline hm_half_t hm_hadd(hm_half_t a, hm_half_t b) {
  return hm_host_narrow(hm_host_widen(a) + hm_host_widen(b));
}
static inline hm_half_t hm_hsub(hm_half_t a, hm_half_t b) {
  return hm_host_narrow(hm_host_widen(a) - hm_host_widen(b));
}
static inline hm_half_t hm_hmul(hm_half_t a, hm_half_t b) {
  return hm_host_narrow(hm_host_widen(a) * hm_host_widen(b));
}
static inline hm_half_t hm_hdiv(hm_half_t a, hm_half_t b) {
  return hm_host_narrow(hm_host_widen(a) / hm_host_widen(b));
}
static inline hm_half_t hm_hsqrt(hm_half_t a) {
  return hm_host_narrow(__builtin_sqrtf(hm_host_widen(a)));
}

/* The product is exact, the sum need not be: truncation with a sticky last bit ("round to odd",
 * Boldo and Melquiond, 2008) keeps what one more rounding to 11 or 8 bits needs. Sums outside the
 * normal range of float are rounded to it. */
static inline float hm_host_sum_to_odd(double product, double addend) {
  const double sum = product + addend;
  HM_U64 bits;
  __builtin_memcpy(&bits, &sum, sizeof(bits));
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased < 1023 - 126 || biased > 1023 + 126) return static_cast<float>(sum);
  /* The exact error of the sum (Knuth's TwoSum). */
  const double from_addend = sum - product;
  const double lost = (product - (sum - from_addend)) + (addend - from_addend);
  if (lost != 0.0 && (bits & 1u) == 0u) {
    /* The sum was rounded to the even neighbour: take the odd one in the direction of the error. */
    bits = (lost < 0.0) == (sum < 0.0) ? bits + 1u : bits - 1u;
  }
  const unsigned sign = static_cast<unsigned>(bits >> 32) & 0x80000000u;
  const unsigned exponent = static_cast<unsigned>((bits >> 52 & 0x7ffu) - 1023u + 127u);
  const unsigned fraction = static_cast<unsigned>(bits >> 29 & 0x7fffffu);
  const unsigned sticky = (bits & 0x1fffffffu) != 0u ? 1u : 0u;
  return HM_U2F(sign | exponent << 23 | fraction | sticky);
}
static inline hm_half_t hm_hfma(hm_half_t a, hm_half_t b, hm_half_t c) {
  return hm_host_narrow(hm_host_sum_to_odd(
      static_cast<double>(hm_host_widen(a)) * static_cast<double>(hm_host_widen(b)),
      static_cast<double>(hm_host_widen(c))));
}

/* Packed numbers, for kernels/rates.hk: each lane uses the functions above, in loops that the
 * compiler may vectorise. */
#ifdef HM_PACK_WIDTH
#define HM_PACK_LANES for (int lane = 0; lane < HM_PACK_WIDTH; ++lane)
#if defined(HM_PACK_FP32)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT float
typedef float hm_pack_t __attribute__((vector_size(4 * HM_PACK_WIDTH)));
static inline hm_pack_t hm_pack_splat(unsigned bits) { return hm_pack_t{} + hm_host_float(bits); }
static inline hm_pack_t hm_pack_load(const float* p, int i) {
  hm_pack_t v;
  __builtin_memcpy(&v, p + i * HM_PACK_WIDTH, sizeof(v));
  return v;
}
static inline void hm_pack_store(float* p, int i, hm_pack_t v) {
  __builtin_memcpy(p + i * HM_PACK_WIDTH, &v, sizeof(v));
}
static inline hm_pack_t hm_pack_flip(hm_pack_t v) {
  HM_PACK_LANES v[lane] = hm_host_float(hm_host_bits(v[lane]) ^ 1u);
  return v;
}
static inline hm_pack_t hm_pack_add(hm_pack_t a, hm_pack_t b) { return a + b; }
static inline hm_pack_t hm_pack_mul(hm_pack_t a, hm_pack_t b) { return a * b; }
static inline hm_pack_t hm_pack_fma(hm_pack_t a, hm_pack_t b, hm_pack_t c) {
  hm_pack_t v;
  HM_PACK_LANES v[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
  return v;
}
#elif defined(HM_PACK_FP16) || defined(HM_PACK_HALF) || defined(HM_PACK_BF16)
#define HM_HAS_PACK 1
#define HM_PACK_ELEMENT HM_HALF
struct hm_pack_t {
  hm_half_t lanes[HM_PACK_WIDTH];
};
#ifdef HM_PACK_BF16
/* bf16, like fp16 above: one operation in fp32 (fma: in double, rounded to odd), then one more
 * rounding, which below the normal range of fp32 applies to float's subnormals. */
static inline float hm_host_from_brain(hm_half_t value) {
  return hm_host_float(static_cast<unsigned>(value.bits) << 16);
}
static inline hm_half_t hm_host_to_brain(float value) {
  const unsigned bits = hm_host_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return hm_half_t{static_cast<HM_HALF>(bits >> 16 | 0x40u)};
  return hm_half_t{static_cast<HM_HALF>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}
static inline hm_half_t hm_host_brain_add(hm_half_t a, hm_half_t b) {
  return hm_host_to_brain(hm_host_from_brain(a) + hm_host_from_brain(b));
}
static inline hm_half_t hm_host_brain_mul(hm_half_t a, hm_half_t b) {
  return hm_host_to_brain(hm_host_from_brain(a) * hm_host_from_brain(b));
}
static inline hm_half_t hm_host_brain_fma(hm_half_t a, hm_half_t b, hm_half_t c) {
  return hm_host_to_brain(hm_host_sum_to_odd(
      static_cast<double>(hm_host_from_brain(a)) * static_cast<double>(hm_host_from_brain(b)),
      static_cast<double>(hm_host_from_brain(c))));
}
#define HM_HOST_PACK_ADD hm_host_brain_add
#define HM_HOST_PACK_MUL hm_host_brain_mul
#define HM_HOST_PACK_FMA hm_host_brain_fma
#else
#define HM_HOST_PACK_ADD hm_hadd
#define HM_HOST_PACK_MUL hm_hmul
#define HM_HOST_PACK_FMA hm_hfma
#endif
static inline hm_pack_t hm_pack_splat(unsigned bits) {
  hm_pack_t v;
  HM_PACK_LANES v.lanes[lane] = hm_half_from_bits(static_cast<HM_HALF>(bits));
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
  HM_PACK_LANES v.lanes[lane].bits ^= 1;
  return v;
}
static inline hm_pack_t hm_pack_add(hm_pack_t a, hm_pack_t b) {
  HM_PACK_LANES a.lanes[lane] = HM_HOST_PACK_ADD(a.lanes[lane], b.lanes[lane]);
  return a;
}
static inline hm_pack_t hm_pack_mul(hm_pack_t a, hm_pack_t b) {
  HM_PACK_LANES a.lanes[lane] = HM_HOST_PACK_MUL(a.lanes[lane], b.lanes[lane]);
  return a;
}
static inline hm_pack_t hm_pack_fma(hm_pack_t a, hm_pack_t b, hm_pack_t c) {
  HM_PACK_LANES a.lanes[lane] = HM_HOST_PACK_FMA(a.lanes[lane], b.lanes[lane], c.lanes[lane]);
  return a;
}
typedef unsigned hm_pack_words __attribute__((vector_size(4 * HM_PACK_WIDTH)));
static inline hm_pack_words hm_pack_widen(hm_pack_t v) {
  hm_pack_words words;
  HM_PACK_LANES words[lane] = hm_host_bits(hm_host_widen(v.lanes[lane]));
  return words;
}
static inline hm_pack_t hm_pack_narrow(hm_pack_words words) {
  hm_pack_t v;
  HM_PACK_LANES v.lanes[lane] = hm_host_narrow(hm_host_float(words[lane]));
  return v;
}
#endif
#endif
