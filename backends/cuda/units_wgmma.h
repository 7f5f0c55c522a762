// SPDX-License-Identifier: Apache-2.0
//
// wgmma.mma_async m64n8kK of the PTX ISA, with both operands in shared memory: sections
// "Asynchronous warpgroup-level matrix shared memory layout" (without swizzle, both along k),
// "Matrix descriptor" and "Register fragments", D of .m64nNk16. A row of an operand is 32 bytes
// long. The unit reads core matrices of 8 rows with 16 bytes each; two are adjacent along k,
// followed by those of the next 8 rows. Each lane stores a part of the operands, in an order chosen
// here. The row of units.hpp defines HM_UNIT_K, HM_UNIT_IN and its bits, HM_UNIT_OUT and its bits,
// the instruction and HM_UNIT_TAIL: no scaling by -1; where there is a choice, no transposition.

#define HM_UNIT_M 64
#define HM_UNIT_N 8
#define HM_UNIT_AS (HM_UNIT_K / 2)
#define HM_UNIT_BS (HM_UNIT_K / 16)
#define HM_UNIT_DS 4

HM_FN int hm_unit_a_row(int lane, int i) { return lane % 64 + 0 * i; }
HM_FN int hm_unit_a_k(int lane, int i) { return HM_UNIT_AS * (lane / 64) + i; }
HM_FN int hm_unit_b_k(int lane, int i) { return HM_UNIT_BS * (lane / 8) + i; }
HM_FN int hm_unit_b_column(int lane, int i) { return lane % 8 + 0 * i; }
HM_FN int hm_unit_d_row(int lane, int i) { return 16 * (lane / 32) + lane % 32 / 4 + 8 * (i / 2); }
HM_FN int hm_unit_d_column(int lane, int i) { return 2 * (lane % 4) + i % 2; }

// The offset, in elements, of an element of a (row and k) or of b (column and k).
#define HM_UNIT_CORE_K (128 / HM_UNIT_IN_BITS)
HM_FN int hm_unit_place(int row, int k) {
  return (2 * (row / 8) + k / HM_UNIT_CORE_K) * (8 * HM_UNIT_CORE_K) + row % 8 * HM_UNIT_CORE_K +
         k % HM_UNIT_CORE_K;
}

// Bits 0 to 13: start address; 16 to 29: stride to the next core matrix along k; 32 to 45: stride
// to the next 8 rows; all in units of 16 bytes.
HM_FN unsigned long long hm_unit_descriptor(unsigned address) {
  return (unsigned long long)((address & 0x3FFFFu) >> 4) | (128ull >> 4) << 16 |
         (256ull >> 4) << 32;
}

#if defined(HM_UNIT_INSTRUCTION) && !defined(HM_UNIT_EMULATED)
#define HM_UNIT_START "wgmma.fence.sync.aligned;\n" HM_UNIT_INSTRUCTION " "
#define HM_UNIT_END \
  ", 1, " HM_UNIT_TAIL ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"

// The unit reads through a different proxy from the one that ordinary stores write through.
#define HM_UNIT_WRITTEN() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

HM_FN void hm_unit_execute(unsigned long long a, unsigned long long b, HM_UNIT_OUT* d) {
#if HM_UNIT_OUT_BITS == 32
  float d0 = HM_U2F(d[0]), d1 = HM_U2F(d[1]), d2 = HM_U2F(d[2]), d3 = HM_U2F(d[3]);
  asm volatile(HM_UNIT_START "{%0,%1,%2,%3}, %4, %5" HM_UNIT_END
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "l"(a), "l"(b)
               : "memory");
  d[0] = HM_F2U(d0);
  d[1] = HM_F2U(d1);
  d[2] = HM_F2U(d2);
  d[3] = HM_F2U(d3);
#else
  unsigned d0 = d[0] | (unsigned)d[1] << 16;
  unsigned d1 = d[2] | (unsigned)d[3] << 16;
  asm volatile(HM_UNIT_START "{%0,%1}, %2, %3" HM_UNIT_END
               : "+r"(d0), "+r"(d1)
               : "l"(a), "l"(b)
               : "memory");
  d[0] = (HM_UNIT_OUT)d0;
  d[1] = (HM_UNIT_OUT)(d0 >> 16);
  d[2] = (HM_UNIT_OUT)d1;
  d[3] = (HM_UNIT_OUT)(d1 >> 16);
#endif
}
#endif

#ifdef HM_UNIT_INSTRUCTION
HM_FN void hm_unit_multiply(const HM_UNIT_IN* a, const HM_UNIT_IN* b, HM_UNIT_OUT* d) {
  __shared__ __align__(128) HM_UNIT_IN rows[HM_UNIT_M * HM_UNIT_K];
  __shared__ __align__(128) HM_UNIT_IN columns[HM_UNIT_N * HM_UNIT_K];
  int lane = HM_LID(0);
  int i;
  for (i = 0; i < HM_UNIT_AS; i++)
    rows[hm_unit_place(hm_unit_a_row(lane, i), hm_unit_a_k(lane, i))] = a[i];
  for (i = 0; i < HM_UNIT_BS; i++)
    columns[hm_unit_place(hm_unit_b_column(lane, i), hm_unit_b_k(lane, i))] = b[i];
  HM_UNIT_WRITTEN();
  HM_BARRIER();
  hm_unit_execute(hm_unit_descriptor((unsigned)__cvta_generic_to_shared(rows)),
                  hm_unit_descriptor((unsigned)__cvta_generic_to_shared(columns)), d);
  HM_BARRIER();  // all operands have been read
}
#endif
