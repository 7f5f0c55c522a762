// SPDX-License-Identifier: Apache-2.0
// The results of the special function unit: first encodings and differences from one operand to the
// next.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
enum Op { EX2, EX2F, RCP, RCPF, RSQ, RSQF, LG2, LG2F, SQRT, TANH, SIN, COS };
__global__ void run(int op, uint32_t first, uint32_t* out, uint32_t count, int shift = 0) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = __uint_as_float(first + (i << shift)), y = 0;
  switch (op) {
    case EX2:
      asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case EX2F:
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case RCP:
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case RSQ:
      asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case LG2:
      asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case SQRT:
      asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case TANH:
      asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
  }
  out[i] = __float_as_uint(y);
}
static void dump(const std::string& folder, const char* name, int op, uint32_t first,
                 uint32_t count) {
  uint32_t* d;
  cudaMalloc(&d, 4ull * count);
  run<<<(count + 255) / 256, 256>>>(op, first, d, count);
  std::vector<uint32_t> h(count);
  cudaMemcpy(h.data(), d, 4ull * count, cudaMemcpyDeviceToHost);
  cudaFree(d);
  std::string path = folder + "/" + name + ".d8";
  FILE* f = fopen(path.c_str(), "wb");
  fwrite(&first, 4, 1, f);
  fwrite(&count, 4, 1, f);
  fwrite(&h[0], 4, 1, f);
  std::vector<int8_t> d8(count);
  uint32_t wide = 0;
  for (uint32_t i = 1; i < count; ++i) {
    int64_t step = (int64_t)h[i] - (int64_t)h[i - 1];
    if (step < -127 || step > 127) {
      ++wide;
      step = -128;
    }
    d8[i] = (int8_t)step;
  }
  fwrite(d8.data(), 1, count, f);
  for (uint32_t i = 1; i < count; ++i)
    if (d8[i] == -128) {
      fwrite(&i, 4, 1, f);
      fwrite(&h[i], 4, 1, f);
    }
  fclose(f);
  printf("%s %u wide %u err %d\n", name, count, wide, (int)cudaGetLastError());
}
int main(int, char** argv) {
  const uint32_t P = 1u << 23;
  auto bits = [](float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
  };
  std::string o = argv[1];
  dump(o, "ex2_1_2", EX2F, bits(1), P);
  dump(o, "ex2_05_1", EX2F, bits(0.5f), P);
  dump(o, "ex2_m2_m1", EX2F, bits(-1), P);
  dump(o, "ex2_8_16", EX2F, bits(8), P);
  dump(o, "ex2_2m10", EX2F, bits(0x1p-10f), P);
  dump(o, "ex2_m05", EX2F, bits(-0.5f), P);
  dump(o, "rcp_1_2", RCP, bits(1), P);
  dump(o, "rsq_1_2", RSQ, bits(1), P);
  dump(o, "rsq_2_4", RSQ, bits(2), P);
  dump(o, "lg2_1_2", LG2, bits(1), P);
  dump(o, "lg2_05_1", LG2, bits(0.5f), P);
  dump(o, "sqrt_1_4", SQRT, bits(1), 2 * P);
  dump(o, "tanh_05_1", TANH, bits(0.5f), P);
  dump(o, "tanh_025", TANH, bits(0.25f), P);
  // special operands and every exponent
  uint32_t* d;
  cudaMalloc(&d, 4 * 65536);
  FILE* f = fopen((o + "/coarse.bin").c_str(), "wb");
  for (int op : {EX2, EX2F, RCP, RSQ, LG2, SQRT, TANH}) {
    std::vector<uint32_t> h(65536);
    run<<<256, 256>>>(op, 0, d, 65536, 16);
    cudaMemcpy(h.data(), d, 4 * 65536, cudaMemcpyDeviceToHost);
    fwrite(h.data(), 4, 65536, f);
  }
  fclose(f);
  return 0;
}
