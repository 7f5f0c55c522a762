/* SPDX-License-Identifier: Apache-2.0
 * The gradient of root mean square normalisation by oneDNN 3: cc rms_backward.c -ldnnl && ./a.out. Exit code 1: a format has that of
 * layer normalisation. x = {1, 2, 3, 4}, gamma 1, dy = {1, 0, 0, 0}: dx = rstd (dy - x rstd^2 x_0 / n), rstd^2 = 4 / 30. */
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(call) do { int status = (int)(call); if (status == dnnl_unimplemented) return puts("  not implemented"), 0; if (status != 0) { printf(#call ": status %d\n", status); exit(2); } } while (0)
enum { N = 4 };
static void put(dnnl_data_type_t type, void* at, int i, float v) {
  uint32_t u; memcpy(&u, &v, 4);
  if (type == dnnl_f32) ((float*)at)[i] = v;
  else if (type == dnnl_bf16) ((uint16_t*)at)[i] = (uint16_t)(u >> 16);
  else ((_Float16*)at)[i] = (_Float16)v;
}
static float get(dnnl_data_type_t type, const void* at, int i) {
  if (type == dnnl_f32) return ((const float*)at)[i];
  if (type == dnnl_f16) return (float)((const _Float16*)at)[i];
  uint32_t u = (uint32_t)((const uint16_t*)at)[i] << 16; float v; memcpy(&v, &u, 4); return v;
}
static int gradient(const char* format, dnnl_data_type_t type, unsigned more) {
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t before, made; dnnl_primitive_t primitive; const char* name;
  dnnl_memory_desc_t rows, row, statistics;
  dnnl_dims_t sizes = {1, N}, strides = {N, 1}, one = {1}, of_one = {1}, weights = {N};
  const unsigned flags = dnnl_rms_norm | more;
  printf("%s%s\n", format, more ? ", with gamma" : "");
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  CHECK(dnnl_memory_desc_create_with_strides(&rows, 2, sizes, type, strides)); CHECK(dnnl_memory_desc_create_with_strides(&statistics, 1, one, dnnl_f32, of_one));
  CHECK(dnnl_memory_desc_create_with_strides(&row, 1, weights, dnnl_f32, of_one));
  CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&before, engine, dnnl_forward_training, rows, rows, statistics, 0, flags, NULL));
  CHECK(dnnl_layer_normalization_backward_primitive_desc_create(&made, engine, more ? dnnl_backward : dnnl_backward_data, rows, rows, rows, statistics, 0, flags, before, NULL));
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  char x[4 * N], dy[4 * N], dx[4 * N]; float variance = 7.5f, gamma[N] = {1, 1, 1, 1}, dgamma[N] = {0};
  for (int i = 0; i < N; ++i) put(type, x, i, (float)(i + 1)), put(type, dy, i, i == 0), put(type, dx, i, 7);
  dnnl_memory_t m[6];
  CHECK(dnnl_memory_create(&m[0], rows, engine, x)); CHECK(dnnl_memory_create(&m[1], rows, engine, dy)); CHECK(dnnl_memory_create(&m[2], rows, engine, dx));
  CHECK(dnnl_memory_create(&m[3], statistics, engine, &variance));
  CHECK(dnnl_memory_create(&m[4], row, engine, gamma)); CHECK(dnnl_memory_create(&m[5], row, engine, dgamma));
  dnnl_exec_arg_t arguments[6] = {{DNNL_ARG_SRC, m[0]}, {DNNL_ARG_DIFF_DST, m[1]}, {DNNL_ARG_DIFF_SRC, m[2]}, {DNNL_ARG_VARIANCE, m[3]}};
  int count = 4;
  if (more) arguments[count++] = (dnnl_exec_arg_t){DNNL_ARG_SCALE, m[4]}, arguments[count++] = (dnnl_exec_arg_t){DNNL_ARG_DIFF_SCALE, m[5]};
  CHECK(dnnl_primitive_execute(primitive, stream, count, arguments)); CHECK(dnnl_stream_wait(stream));
  int wrong = 0;
  printf("  %s:", name);
  for (int i = 0; i < N; ++i) {
    const double rstd = 1 / sqrt(7.5), expected = rstd * ((i == 0) - (i + 1) / 30.0), got = get(type, dx, i);
    wrong |= fabs(got - expected) > 0.01;
    printf(" %.5f (expected %.5f)", got, expected);
  }
  return puts(""), wrong;
}
int main(void) {
  int wrong = 0;
  printf("oneDNN %d.%d.%d\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch);
  for (int with = 0; with < 2; ++with) {
    const unsigned more = with ? dnnl_use_scale : 0;
    wrong |= gradient("fp32", dnnl_f32, more); wrong |= gradient("bf16", dnnl_bf16, more); wrong |= gradient("fp16", dnnl_f16, more);
  }
  return wrong;
}
