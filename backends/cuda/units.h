// SPDX-License-Identifier: Apache-2.0
//
// mma.sync m16n8kK of the PTX ISA ("Matrix Fragments for mma.m16n8k8", "... m16n8k16", "...
// m16n8k32"). 32-bit registers hold neighbours along k; a warp's lane is 4 * group + place. The
// row of units.hpp defines HM_UNIT_K, HM_UNIT_IN and its bits, HM_UNIT_OUT and its bits, and
// the instruction.

#define HM_UNIT_M 16
#define HM_UNIT_N 8
#define HM_UNIT_AS (HM_UNIT_K / 2)
#define HM_UNIT_BS (HM_UNIT_K / 4)
#define HM_UNIT_DS 4
#define HM_UNIT_IN_WORD (32 / HM_UNIT_IN_BITS)

HM_FN int hm_unit_a_row(int lane, int i) { return lane / 4 + 8 * (i / HM_UNIT_IN_WORD % 2); }
HM_FN int hm_unit_a_k(int lane, int i) {
  return HM_UNIT_IN_WORD * (lane % 4 + 4 * (i / HM_UNIT_IN_WORD / 2)) + i % HM_UNIT_IN_WORD;
}
HM_FN int hm_unit_b_k(int lane, int i) {
  return HM_UNIT_IN_WORD * (lane % 4 + 4 * (i / HM_UNIT_IN_WORD)) + i % HM_UNIT_IN_WORD;
}
HM_FN int hm_unit_b_column(int lane, int i) { return lane / 4 + 0 * i; }
HM_FN int hm_unit_d_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
HM_FN int hm_unit_d_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }

#if defined(HM_UNIT_INSTRUCTION) && !defined(HM_UNIT_EMULATED)
HM_FN unsigned hm_unit_word(const HM_UNIT_IN* elements, int word) {
  unsigned bits = 0;
  int i;
  for (i = 0; i < HM_UNIT_IN_WORD; i++)
    bits |= (unsigned)elements[HM_UNIT_IN_WORD * word + i] << (HM_UNIT_IN_BITS * i % 32);
  return bits;
}

#define HM_UNIT_A_WORDS (HM_UNIT_AS / HM_UNIT_IN_WORD)
#if HM_UNIT_A_WORDS == 4
#define HM_UNIT_OPERANDS                                                     \
  "r"(hm_unit_word(a, 0)), "r"(hm_unit_word(a, 1)), "r"(hm_unit_word(a, 2)), \
      "r"(hm_unit_word(a, 3)), "r"(hm_unit_word(b, 0)), "r"(hm_unit_word(b, 1))
#define HM_UNIT_PLACES_4 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define HM_UNIT_PLACES_2 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
#else
#define HM_UNIT_OPERANDS "r"(hm_unit_word(a, 0)), "r"(hm_unit_word(a, 1)), "r"(hm_unit_word(b, 0))
#define HM_UNIT_PLACES_4 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
#define HM_UNIT_PLACES_2 "{%0,%1}, {%2,%3}, {%4}, {%0,%1};"
#endif

HM_FN void hm_unit_multiply(const HM_UNIT_IN* a, const HM_UNIT_IN* b, HM_UNIT_OUT* d) {
#if HM_UNIT_OUT_BITS == 32
  float d0 = HM_U2F(d[0]), d1 = HM_U2F(d[1]), d2 = HM_U2F(d[2]), d3 = HM_U2F(d[3]);
  asm volatile(HM_UNIT_INSTRUCTION " " HM_UNIT_PLACES_4
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : HM_UNIT_OPERANDS);
  d[0] = HM_F2U(d0);
  d[1] = HM_F2U(d1);
  d[2] = HM_F2U(d2);
  d[3] = HM_F2U(d3);
#else
  unsigned d0 = d[0] | (unsigned)d[1] << 16;
  unsigned d1 = d[2] | (unsigned)d[3] << 16;
  asm volatile(HM_UNIT_INSTRUCTION " " HM_UNIT_PLACES_2 : "+r"(d0), "+r"(d1) : HM_UNIT_OPERANDS);
  d[0] = (HM_UNIT_OUT)d0;
  d[1] = (HM_UNIT_OUT)(d0 >> 16);
  d[2] = (HM_UNIT_OUT)d1;
  d[3] = (HM_UNIT_OUT)(d1 >> 16);
#endif
}
#endif
