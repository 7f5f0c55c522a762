// SPDX-License-Identifier: Apache-2.0
// Gradient of softmax by oneDNN 2: dy and y dense, the two rows of dx 6 apart. Every gradient is 0, since dy is the same in a
// whole row; the elements between the rows belong to nobody and hold 7.
// cc softmax_backward.c -ldnnl
#include <dnnl.h>
#include <stdio.h>

#define CHECK(call) do { int status = (int)(call); if (status != 0) { printf(#call ": %d\n", status); return 2; } } while (0)

int main(void) {
  dnnl_engine_t engine; dnnl_stream_t stream;
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
  CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  dnnl_dims_t sizes = {2, 4}, dense = {4, 1}, apart = {6, 1};
  dnnl_memory_desc_t plain, gaps;
  CHECK(dnnl_memory_desc_init_by_strides(&plain, 2, sizes, dnnl_f32, dense));
  CHECK(dnnl_memory_desc_init_by_strides(&gaps, 2, sizes, dnnl_f32, apart));
  dnnl_softmax_v2_desc_t forward, backward; dnnl_primitive_desc_t before, made; dnnl_primitive_t gradient;
  CHECK(dnnl_softmax_v2_forward_desc_init(&forward, dnnl_forward_training, dnnl_softmax_accurate, &plain, &plain, 1));
  CHECK(dnnl_primitive_desc_create(&before, &forward, NULL, engine, NULL));
  CHECK(dnnl_softmax_v2_backward_desc_init(&backward, dnnl_softmax_accurate, &gaps, &plain, &plain, 1));
  CHECK(dnnl_primitive_desc_create(&made, &backward, NULL, engine, before));
  CHECK(dnnl_primitive_create(&gradient, made));
  const char* name;
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name));

  float y[8] = {1, 0, 0, 0, 0, 1, 0, 0}, dy[8] = {1, 1, 1, 1, 2, 2, 2, 2}, dx[12];
  for (int i = 0; i < 12; ++i) dx[i] = 7;
  dnnl_memory_t of_y, of_dy, of_dx;
  CHECK(dnnl_memory_create(&of_y, &plain, engine, y));
  CHECK(dnnl_memory_create(&of_dy, &plain, engine, dy));
  CHECK(dnnl_memory_create(&of_dx, &gaps, engine, dx));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_DST, of_y}, {DNNL_ARG_DIFF_DST, of_dy}, {DNNL_ARG_DIFF_SRC, of_dx}};
  CHECK(dnnl_primitive_execute(gradient, stream, 3, arguments));
  CHECK(dnnl_stream_wait(stream));

  int wrong = 0;
  for (int i = 0; i < 12; ++i) {
    const float expected = i % 6 < 4 ? 0 : 7;
    wrong += dx[i] != expected;
    printf("dx[%d] expected %g, got %g\n", i, expected, dx[i]);
  }
  printf("oneDNN %d.%d.%d, %s: %d wrong\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name, wrong);
  return wrong != 0;
}
