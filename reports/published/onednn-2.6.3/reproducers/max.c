/* SPDX-License-Identifier: Apache-2.0
 * The maxima of rows with infinities and NaNs, by oneDNN 2 or 3: cc max.c -lm -ldnnl && ./a.out. Exit code 1: one of them is
 * another number. */
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
  float x[4][2] = {{-INFINITY, -INFINITY}, {1, NAN}, {NAN, 1}, {-1, 1}}, y[4]; const char* name;
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t made; dnnl_primitive_t primitive; dnnl_memory_t mx, my;
  dnnl_dims_t sizes = {4, 2}, strides = {2, 1}, out = {4, 1}, apart = {1, 1};
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  LAYOUT(rows, 2, sizes, dnnl_f32, strides); LAYOUT(maxima, 2, out, dnnl_f32, apart);
#if DNNL_VERSION_MAJOR == 2
  dnnl_reduction_desc_t operation; CHECK(dnnl_reduction_desc_init(&operation, dnnl_reduction_max, &rows, &maxima, 0, 0));
  CHECK(dnnl_primitive_desc_create(&made, &operation, NULL, engine, NULL));
#else
  CHECK(dnnl_reduction_primitive_desc_create(&made, engine, dnnl_reduction_max, rows, maxima, 0, 0, NULL));
#endif
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  CHECK(dnnl_memory_create(&mx, DESC(rows), engine, x)); CHECK(dnnl_memory_create(&my, DESC(maxima), engine, y));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(primitive, stream, 2, arguments)); CHECK(dnnl_stream_wait(stream));
  printf("%d.%d.%d, %s\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name);
  printf("max(-inf, -inf): expected -inf, got %g\nmax(1, nan): expected nan, got %g\nmax(nan, 1): expected nan, got %g\nmax(-1, 1): expected 1, got %g\n", (double)y[0], (double)y[1], (double)y[2], (double)y[3]);
  return !(isinf(y[0]) && isnan(y[1]) && isnan(y[2]) && y[3] == 1);
}
