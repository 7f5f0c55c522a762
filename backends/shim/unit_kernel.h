// SPDX-License-Identifier: Apache-2.0
//
// A matrix product by one instruction of the matrix unit: each work-group computes one tile of
// d by a chain of instructions along k. Elements outside the operands are zero. The vendor's
// units.h defines the instruction and which element a lane holds in which position
// (HM_UNIT_..., hm_unit_...).

#define HM_UNIT_AT(at, row, row_stride, column, column_stride, batch_stride) \
  ((HM_U64)(at) + (HM_U64)(row) * (HM_U64)(row_stride) +                     \
   (HM_U64)(column) * (HM_U64)(column_stride) + (HM_U64)HM_GID(2) * (HM_U64)(batch_stride))

HM_KERNEL hm_unit(HM_GLOBAL const HM_UNIT_IN* a, HM_GLOBAL const HM_UNIT_IN* b,
                  HM_GLOBAL const HM_UNIT_OUT* c, HM_GLOBAL HM_UNIT_OUT* d, int has_c, int m, int n,
                  int k, int a_at, int a_row, int a_column, int a_batch, int b_at, int b_row,
                  int b_column, int b_batch, int c_at, int c_row, int c_column, int c_batch,
                  int d_at, int d_row, int d_column, int d_batch) {
  HM_UNIT_IN mine_a[HM_UNIT_AS];
  HM_UNIT_IN mine_b[HM_UNIT_BS];
  HM_UNIT_OUT mine_d[HM_UNIT_DS];
  int lane = HM_LID(0);
  int first_row = HM_GID(1) * HM_UNIT_M;
  int first_column = HM_GID(0) * HM_UNIT_N;
  int first_k;
  int i;
  for (i = 0; i < HM_UNIT_DS; i++) {
    int row = first_row + hm_unit_d_row(lane, i);
    int column = first_column + hm_unit_d_column(lane, i);
    mine_d[i] = 0;
    if (has_c && row < m && column < n)
      mine_d[i] = c[HM_UNIT_AT(c_at, row, c_row, column, c_column, c_batch)];
  }
  for (first_k = 0; first_k < k; first_k += HM_UNIT_K) {
    for (i = 0; i < HM_UNIT_AS; i++) {
      int row = first_row + hm_unit_a_row(lane, i);
      int column = first_k + hm_unit_a_k(lane, i);
      mine_a[i] = 0;
      if (row < m && column < k)
        mine_a[i] = a[HM_UNIT_AT(a_at, row, a_row, column, a_column, a_batch)];
    }
    for (i = 0; i < HM_UNIT_BS; i++) {
      int row = first_k + hm_unit_b_k(lane, i);
      int column = first_column + hm_unit_b_column(lane, i);
      mine_b[i] = 0;
      if (row < k && column < n)
        mine_b[i] = b[HM_UNIT_AT(b_at, row, b_row, column, b_column, b_batch)];
    }
    hm_unit_multiply(mine_a, mine_b, mine_d);
  }
  for (i = 0; i < HM_UNIT_DS; i++) {
    int row = first_row + hm_unit_d_row(lane, i);
    int column = first_column + hm_unit_d_column(lane, i);
    if (row < m && column < n)
      d[HM_UNIT_AT(d_at, row, d_row, column, d_column, d_batch)] = mine_d[i];
  }
}
