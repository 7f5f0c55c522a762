// SPDX-License-Identifier: Apache-2.0
//
// v_wmma_f32_16x16x16 and v_wmma_f16_16x16x16 of the RDNA 3 and RDNA 4 instruction set guides (Wave
// Matrix Multiply Accumulate), for waves of 32 lanes. RDNA 3: a lane holds a whole row of a and a
// whole column of b, which lanes 16 to 31 duplicate, and every second row of a column of d. RDNA 4:
// a lane holds 8 neighbours along k and 8 neighbours down a column of d. The row of units.hpp
// defines HM_UNIT_PER_LANE (16 or 8 elements of an operand), HM_UNIT_IN, HM_UNIT_OUT, the types of
// the builtin and the builtin.

#define HM_UNIT_K 16
#define HM_UNIT_M 16
#define HM_UNIT_N 16
#define HM_UNIT_AS HM_UNIT_PER_LANE
#define HM_UNIT_BS HM_UNIT_PER_LANE
#define HM_UNIT_DS 8

HM_FN int hm_unit_a_row(int lane, int i) { return lane % 16 + 0 * i; }
HM_FN int hm_unit_a_k(int lane, int i) { return (16 - HM_UNIT_PER_LANE) * (lane / 16) + i; }
HM_FN int hm_unit_b_k(int lane, int i) { return (16 - HM_UNIT_PER_LANE) * (lane / 16) + i; }
HM_FN int hm_unit_b_column(int lane, int i) { return lane % 16 + 0 * i; }
HM_FN int hm_unit_d_row(int lane, int i) {
  return HM_UNIT_PER_LANE == 16 ? 2 * i + lane / 16 : 8 * (lane / 16) + i;
}
HM_FN int hm_unit_d_column(int lane, int i) { return lane % 16 + 0 * i; }

#if defined(HM_UNIT_INSTRUCTION) && !defined(HM_UNIT_EMULATED)
typedef HM_UNIT_VECTOR hm_unit_vector;
typedef HM_UNIT_RESULT hm_unit_result __attribute__((ext_vector_type(8)));

HM_FN void hm_unit_multiply(const HM_UNIT_IN* a, const HM_UNIT_IN* b, HM_UNIT_OUT* d) {
  hm_unit_vector left;
  hm_unit_vector right;
  hm_unit_result sum;
  __builtin_memcpy(&left, a, sizeof left);
  __builtin_memcpy(&right, b, sizeof right);
  __builtin_memcpy(&sum, d, sizeof sum);
  sum = HM_UNIT_INSTRUCTION(left, right, sum);
  __builtin_memcpy(d, &sum, sizeof sum);
}
#endif
