// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax of rows of 16 logits in fp32 by oneDNN 2: of -1, 0, 1 and so on, one of them replaced by a NaN or by
// +infinity, which leaves no result but NaN. cc softmax_nan.c -ldnnl -lm
#include <dnnl.h>
#include <math.h>
#include <stdio.h>
#define CHECK(call) do { dnnl_status_t s = (call); if (s) { printf("%s: %d\n", #call, s); return 2; } } while (0)
enum { N = 16, PLACE = 3 };
static int run(dnnl_engine_t engine, dnnl_stream_t stream, int is_log, float odd) {
  dnnl_dims_t sizes = {1, N}, strides = {N, 1}; dnnl_memory_desc_t d;
  CHECK(dnnl_memory_desc_init_by_strides(&d, 2, sizes, dnnl_f32, strides));
  dnnl_softmax_v2_desc_t fd; dnnl_primitive_desc_t fp; dnnl_primitive_t p;
  CHECK(dnnl_softmax_v2_forward_desc_init(&fd, dnnl_forward_inference, is_log ? dnnl_softmax_log : dnnl_softmax_accurate, &d, &d, 1));
  CHECK(dnnl_primitive_desc_create(&fp, &fd, NULL, engine, NULL)); CHECK(dnnl_primitive_create(&p, fp));
  const char *info; dnnl_primitive_desc_query(fp, dnnl_query_impl_info_str, 0, &info);
  float x[N], y[N];
  for (int i = 0; i < N; ++i) x[i] = (float)(i % 3 - 1);
  x[PLACE] = odd;
  dnnl_memory_t mx, my; CHECK(dnnl_memory_create(&mx, &d, engine, x)); CHECK(dnnl_memory_create(&my, &d, engine, y));
  dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(p, stream, 2, args)); CHECK(dnnl_stream_wait(stream));
  int nans = 0;
  for (int i = 0; i < N; ++i) nans += isnan(y[i]) != 0;
  printf("%s: %s with %g at place %d: %d of %d results are NaN; place 0 has %g\n", info, is_log ? "log-softmax" : "softmax", odd,
         PLACE, nans, N, y[0]);
  return nans != N;
}
int main(void) {
  dnnl_engine_t engine; dnnl_stream_t stream; int wrong = 0;
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  for (int is_log = 0; is_log < 2; ++is_log) {
    wrong |= run(engine, stream, is_log, NAN);
    wrong |= run(engine, stream, is_log, INFINITY);
  }
  return wrong;
}
