/* SPDX-License-Identifier: Apache-2.0
 * relu of subnormals and NaNs, by oneDNN 2 or 3: cc relu.c -ldnnl && ./a.out. Exit code 1: one of them is lost. */
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdint.h>
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

static void relu(dnnl_data_type_t type, dnnl_dim_t count, void* x, void* y) {
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t made; dnnl_primitive_t primitive; dnnl_memory_t mx, my; const char* name;
  dnnl_dims_t sizes = {count}, strides = {1};
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  LAYOUT(data, 1, sizes, type, strides);
#if DNNL_VERSION_MAJOR == 2
  dnnl_eltwise_desc_t operation; CHECK(dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_inference, dnnl_eltwise_relu, &data, 0, 0));
  CHECK(dnnl_primitive_desc_create(&made, &operation, NULL, engine, NULL));
#else
  CHECK(dnnl_eltwise_forward_primitive_desc_create(&made, engine, dnnl_forward_inference, dnnl_eltwise_relu, data, data, 0, 0, NULL));
#endif
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  CHECK(dnnl_memory_create(&mx, DESC(data), engine, x)); CHECK(dnnl_memory_create(&my, DESC(data), engine, y));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(primitive, stream, 2, arguments)); CHECK(dnnl_stream_wait(stream));
  printf("%d.%d.%d, %s\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name);
}

int main(void) {
  uint16_t x[4] = {0x0001, 0x007f, 0x7fc1, 0x3f80}, y[4]; uint32_t u[3] = {0x00000001, 0x7fc00001, 0x3f800000}, v[3]; int lost = 0;
  relu(dnnl_bf16, 4, x, y); for (int i = 0; i < 4; ++i) { lost |= y[i] != x[i]; printf("bf16 relu(%04x): expected %04x, got %04x\n", x[i], x[i], y[i]); }
  relu(dnnl_f32, 3, u, v); for (int i = 0; i < 3; ++i) { lost |= v[i] != u[i]; printf("fp32 relu(%08x): expected %08x, got %08x\n", u[i], u[i], v[i]); }
  return lost;
}
