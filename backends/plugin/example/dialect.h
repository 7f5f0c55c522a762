/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of the kernel dialect for a device whose compiler is the machine's C++ compiler.
 * Precedes every kernel text. fp16 is storage only: what is not offered is not defined.
 *
 * Assumptions:
 *  1. Contraction is off (compile.c passes the flag), float is IEEE 754, _Float16 exists.
 *  2. One thread runs one item at a time; barrier() switches to the next item of the group.
 */
#define HM_KERNEL static void
#define HM_FN static inline
#define HM_GLOBAL
#define HM_LPTR
#define HM_CONST_TABLE(type, name) static const type name
#define HM_LOCAL(type, name, count) static type name[count] /* one group runs at a time */
#define HM_BARRIER() example_now->barrier()
#define HM_LID(d) (example_now->item[d])
#define HM_GID(d) (example_now->group[d])
#define HM_LSIZE(d) (example_now->items[d])
#define HM_NGROUPS(d) (example_now->groups[d])
#define HM_U64 unsigned long long
#define HM_HALF unsigned short
#define HM_F2U(x) example_cast<unsigned>(x)
#define HM_U2F(x) example_cast<float>(x)
#define HM_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define HM_LDEXP(x, n) __builtin_ldexpf(x, n)
#define HM_RINT(x) __builtin_rintf(x)
#define HM_NATIVE_DIV(a, b) ((a) / (b))
#define HM_NATIVE_SQRT(a) __builtin_sqrtf(a)
#define HM_HAS_CR_DIVSQRT 1

/* Must match struct Position of example.h. */
struct example_position {
  int item[3], group[3], items[3], groups[3];
  void (*barrier)();
};
static example_position* example_now;

template <typename To, typename From>
static inline To example_cast(From from) {
  To to;
  static_assert(sizeof(To) == sizeof(From), "a cast of bits");
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

static inline float hm_half_load(const HM_HALF* p, int i) {
  return static_cast<float>(example_cast<_Float16>(p[i]));
}
static inline void hm_half_store(HM_HALF* p, int i, float value) {
  p[i] = example_cast<HM_HALF>(static_cast<_Float16>(value));
}

/* Calls a kernel through pointers to its arguments, so that device.c need not know their types;
 * null only counts them. Braces, unlike parentheses, evaluate from left to right. */
template <typename... A>
static inline int example_enter(void (*kernel)(A...), void** values) {
  struct Call {
    Call(void (*k)(A...), A... arguments) { k(arguments...); }
  };
  int at = 0;
  if (values != nullptr) (void)Call{kernel, *static_cast<A*>(values[at++])...};
  return sizeof...(A);
}
struct example_absent {};
static inline int example_enter(example_absent, void**) { return -1; }
