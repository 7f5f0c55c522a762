// SPDX-License-Identifier: Apache-2.0
// Softmax of 1,000 logits in bf16 by oneDNN 2, beside two arithmetics in fp64: rounded once, and with exp rounded to bf16 before it
// is divided by the sum, which is made of exp as it is. cc softmax_bf16.c -ldnnl -lm
#include <dnnl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define CHECK(call) do { dnnl_status_t s = (call); if (s) { printf("%s: %d\n", #call, s); return 2; } } while (0)
static float f(uint16_t b) { uint32_t w = (uint32_t)b << 16; float x; memcpy(&x, &w, 4); return x; }
static uint16_t b(float x) { uint32_t w; memcpy(&w, &x, 4); return (uint16_t)((w + 0x7fff + (w >> 16 & 1)) >> 16); }
int main(void) {
  enum { N = 1000 };
  dnnl_engine_t engine; dnnl_stream_t stream;
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  dnnl_dims_t sizes = {1, N}, strides = {N, 1}; dnnl_memory_desc_t d;
  CHECK(dnnl_memory_desc_init_by_strides(&d, 2, sizes, dnnl_bf16, strides));
  dnnl_softmax_v2_desc_t fd; dnnl_primitive_desc_t fp; dnnl_primitive_t p;
  CHECK(dnnl_softmax_v2_forward_desc_init(&fd, dnnl_forward_inference, dnnl_softmax_accurate, &d, &d, 1));
  CHECK(dnnl_primitive_desc_create(&fp, &fd, NULL, engine, NULL)); CHECK(dnnl_primitive_create(&p, fp));
  const char *info; dnnl_primitive_desc_query(fp, dnnl_query_impl_info_str, 0, &info);
  uint16_t x[N], y[N]; uint32_t seed = 1; double max = -1e9;
  for (int i = 0; i < N; ++i) { seed = seed * 1664525 + 1013904223; x[i] = b((int)(seed >> 16) / 65536.0f * 6 - 3); if (f(x[i]) > max) max = f(x[i]); }
  dnnl_memory_t mx, my; CHECK(dnnl_memory_create(&mx, &d, engine, x)); CHECK(dnnl_memory_create(&my, &d, engine, y));
  dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(p, stream, 2, args)); CHECK(dnnl_stream_wait(stream));
  double sum = 0; for (int i = 0; i < N; ++i) { sum += exp(f(x[i]) - max); }
  int right = 0, twice = 0;
  for (int i = 0; i < N; ++i) {
    double e = exp(f(x[i]) - max);
    right += y[i] == b((float)(e / sum)); twice += y[i] == b(f(b((float)e)) * (float)(1 / sum));
  }
  printf("%s: of %d results %d are rounded once, %d have exp rounded to bf16 first\n", info, N, right, twice);
  return right != N;
}
