/* SPDX-License-Identifier: Apache-2.0
 * The log-softmax of {-inf, 1, -inf, ...}, by oneDNN 2 or 3: cc log_softmax.c -lm -ldnnl && ./a.out. Exit code 1: that of the only
 * number is not 0. */
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
  float x[8] = {-INFINITY, 1, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, y[8]; const char* name;
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t made; dnnl_primitive_t primitive; dnnl_memory_t mx, my;
  dnnl_dims_t sizes = {1, 8}, strides = {8, 1};
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  LAYOUT(row, 2, sizes, dnnl_f32, strides);
#if DNNL_VERSION_MAJOR == 2
  dnnl_softmax_v2_desc_t operation; CHECK(dnnl_softmax_v2_forward_desc_init(&operation, dnnl_forward_inference, dnnl_softmax_log, &row, &row, 1));
  CHECK(dnnl_primitive_desc_create(&made, &operation, NULL, engine, NULL));
#else
  CHECK(dnnl_softmax_forward_primitive_desc_create(&made, engine, dnnl_forward_inference, dnnl_softmax_log, row, row, 1, NULL));
#endif
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  CHECK(dnnl_memory_create(&mx, DESC(row), engine, x)); CHECK(dnnl_memory_create(&my, DESC(row), engine, y));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(primitive, stream, 2, arguments)); CHECK(dnnl_stream_wait(stream));
  printf("%d.%d.%d, %s\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name);
  printf("log-softmax(1 among -inf): expected 0x0p+0, got %a\nlog-softmax(-inf): expected -inf, got %g\n", (double)y[1], (double)y[0]);
  return !(y[1] == 0 && isinf(y[0]));
}
