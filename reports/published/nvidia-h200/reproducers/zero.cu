// SPDX-License-Identifier: Apache-2.0
// The sign of a sum of nothing but zeros, by one instruction of the matrix unit each.
// nvcc -arch=sm_90 FILE
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#define K(name, A, B, C, code)                                              \
  __global__ void name(uint32_t a, uint32_t b, uint32_t c, uint32_t* out) { \
    uint32_t A_[A], B_[B], d[C];                                            \
    for (auto& x : A_) x = a;                                               \
    for (auto& x : B_) x = b;                                               \
    for (auto& x : d) x = c;                                                \
    code;                                                                   \
    out[threadIdx.x] = d[0];                                                \
  }
#define AR4 "r"(A_[0]), "r"(A_[1]), "r"(A_[2]), "r"(A_[3])
K(f16_16, 4, 2, 4,
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : AR4, "r"(B_[0]), "r"(B_[1])))
K(f16_8, 2, 1, 4,
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(A_[0]), "r"(A_[1]), "r"(B_[0])))
K(h16_16, 4, 2, 2,
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
               "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};" : "+r"(d[0]),
               "+r"(d[1]) : AR4, "r"(B_[0]), "r"(B_[1])))
K(h16_8, 2, 1, 2,
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};" : "+r"(d[0]),
      "+r"(d[1]) : "r"(A_[0]), "r"(A_[1]), "r"(B_[0])))
K(b16_16, 4, 2, 4,
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : AR4, "r"(B_[0]), "r"(B_[1])))
K(b16_8, 2, 1, 4,
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
               "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(A_[0]), "r"(A_[1]), "r"(B_[0])))
K(t32_8, 4, 2, 4,
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : AR4, "r"(B_[0]), "r"(B_[1])))
K(t32_4, 2, 1, 4,
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
               "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(A_[0]), "r"(A_[1]), "r"(B_[0])))
K(e4_32, 4, 2, 4,
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : AR4, "r"(B_[0]), "r"(B_[1])))
K(e5_32, 4, 2, 4,
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(d[0]),
               "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : AR4, "r"(B_[0]), "r"(B_[1])))
int main() {
  uint32_t* o;
  cudaMalloc(&o, 128);
  uint32_t h[32];
  auto show = [&](const char* n, const char* w) {
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
    printf("%s %s -> %08x (error %d)\n", n, w, h[0], (int)e);
  };
#define RUN(k, minus, one, mc)     \
  k<<<1, 32>>>(minus, one, mc, o); \
  show(#k, "all -0, c -0");        \
  k<<<1, 32>>>(minus, one, 0, o);  \
  show(#k, "products -0, c +0");   \
  k<<<1, 32>>>(0, one, mc, o);     \
  show(#k, "products +0, c -0");   \
  k<<<1, 32>>>(minus, one | (one & 0), mc, o);
  RUN(f16_16, 0x80008000, 0x3c003c00, 0x80000000)
  RUN(f16_8, 0x80008000, 0x3c003c00, 0x80000000) RUN(h16_16, 0x80008000, 0x3c003c00, 0x80008000)
      RUN(h16_8, 0x80008000, 0x3c003c00, 0x80008000) RUN(b16_16, 0x80008000, 0x3f803f80, 0x80000000)
          RUN(b16_8, 0x80008000, 0x3f803f80, 0x80000000)
              RUN(t32_8, 0x80000000, 0x3f800000, 0x80000000)
                  RUN(t32_4, 0x80000000, 0x3f800000, 0x80000000)
                      RUN(e4_32, 0x80808080, 0x38383838, 0x80000000)
                          RUN(e5_32, 0x80808080, 0x3c3c3c3c, 0x80000000)
      // a zero sum from cancellation and from a negative operand times zero
      f16_16<<<1, 32>>>(0x00000000, 0xbc00bc00, 0x80000000, o);
  show("f16_16", "0 times -1, c -0");
  return 0;
}
