/* SPDX-License-Identifier: Apache-2.0
 * Layer normalisation of two rows of 4 that lie 6 apart, with NaNs between them, by oneDNN 2 or 3: cc layernorm.c -lm -ldnnl &&
 * ./a.out. Exit code 1: the second row is not normalised, or what lies between the rows is written. */
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do { int status = (int)(call); if (status != 0) { printf(#call ": status %d\n", status); exit(2); } } while (0)
#if DNNL_VERSION_MAJOR == 2
#define LAYOUT(d, rank, sizes, type, strides) dnnl_memory_desc_t d; CHECK(dnnl_memory_desc_init_by_strides(&d, rank, sizes, type, strides))
#define DESC(d) &d
#else
#define LAYOUT(d, rank, sizes, type, strides) dnnl_memory_desc_t d; CHECK(dnnl_memory_desc_create_with_strides(&d, rank, sizes, type, strides))
#define DESC(d) d
#endif

int main(void) {
  float x[12] = {1, 2, 3, 4, NAN, NAN, 10, 20, 30, 40, NAN, NAN}, y[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, mean[2], variance[2]; const char* name;
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t made; dnnl_primitive_t primitive; dnnl_memory_t m[4];
  dnnl_dims_t sizes = {2, 4}, strides = {6, 1}, rows = {2}, apart = {1};
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  LAYOUT(data, 2, sizes, dnnl_f32, strides); LAYOUT(statistics, 1, rows, dnnl_f32, apart);
#if DNNL_VERSION_MAJOR == 2
  dnnl_layer_normalization_desc_t operation; CHECK(dnnl_layer_normalization_forward_desc_init(&operation, dnnl_forward_training, &data, &statistics, 0, 0));
  CHECK(dnnl_primitive_desc_create(&made, &operation, NULL, engine, NULL));
#else
  CHECK(dnnl_layer_normalization_forward_primitive_desc_create(&made, engine, dnnl_forward_training, data, data, statistics, 0, 0, NULL));
#endif
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  CHECK(dnnl_memory_create(&m[0], DESC(data), engine, x)); CHECK(dnnl_memory_create(&m[1], DESC(data), engine, y));
  CHECK(dnnl_memory_create(&m[2], DESC(statistics), engine, mean)); CHECK(dnnl_memory_create(&m[3], DESC(statistics), engine, variance));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, m[0]}, {DNNL_ARG_DST, m[1]}, {DNNL_ARG_MEAN, m[2]}, {DNNL_ARG_VARIANCE, m[3]}};
  CHECK(dnnl_primitive_execute(primitive, stream, 4, arguments)); CHECK(dnnl_stream_wait(stream));
  printf("%d.%d.%d, %s\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name);
  printf("means: expected 2.5 25, got %g %g\nvariances: expected 1.25 125, got %g %g\nbetween the rows: expected 7 7, got %g %g\n", (double)mean[0], (double)mean[1], (double)variance[0], (double)variance[1], (double)y[4], (double)y[5]);
  return !(mean[0] == 2.5F && mean[1] == 25 && variance[1] == 125 && y[4] == 7 && y[5] == 7);
}
