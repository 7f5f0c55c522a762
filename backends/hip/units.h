// SPDX-License-Identifier: Apache-2.0
//
// v_mfma_f32_16x16xK of the CDNA instruction set guides: 64 lanes; a lane holds K / 4 neighbours
// along k of one row of a and of one column of b, and 4 neighbours down one column of d. The row of
// units.hpp defines HM_UNIT_K, HM_UNIT_IN and its bits, HM_UNIT_VECTOR and the builtin.

#define HM_UNIT_M 16
#define HM_UNIT_N 16
#define HM_UNIT_AS (HM_UNIT_K / 4)
#define HM_UNIT_BS (HM_UNIT_K / 4)
#define HM_UNIT_DS 4

HM_FN int hm_unit_a_row(int lane, int i) { return lane % 16 + 0 * i; }
HM_FN int hm_unit_a_k(int lane, int i) { return HM_UNIT_AS * (lane / 16) + i; }
HM_FN int hm_unit_b_k(int lane, int i) { return HM_UNIT_BS * (lane / 16) + i; }
HM_FN int hm_unit_b_column(int lane, int i) { return lane % 16 + 0 * i; }
HM_FN int hm_unit_d_row(int lane, int i) { return 4 * (lane / 16) + i; }
HM_FN int hm_unit_d_column(int lane, int i) { return lane % 16 + 0 * i; }

#if defined(HM_UNIT_INSTRUCTION) && !defined(HM_UNIT_EMULATED)
typedef HM_UNIT_VECTOR hm_unit_vector;
typedef float hm_unit_result __attribute__((ext_vector_type(4)));

HM_FN void hm_unit_multiply(const HM_UNIT_IN* a, const HM_UNIT_IN* b, HM_UNIT_OUT* d) {
  hm_unit_vector left;
  hm_unit_vector right;
  hm_unit_result sum;
  __builtin_memcpy(&left, a, sizeof left);
  __builtin_memcpy(&right, b, sizeof right);
  __builtin_memcpy(&sum, d, sizeof sum);
  sum = HM_UNIT_INSTRUCTION(left, right, sum, 0, 0, 0);
  __builtin_memcpy(d, &sum, sizeof sum);
}
#endif
