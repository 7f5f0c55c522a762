/* SPDX-License-Identifier: Apache-2.0
 * GELU (by erf) of large numbers and infinity, by oneDNN 2 or 3: cc gelu.c -ldnnl && ./a.out. Exit code 1: one of them is wrong. */
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do { int status = (int)(call); if (status == dnnl_unimplemented) return puts("  not implemented"), 0; if (status != 0) { printf(#call ": status %d\n", status); exit(2); } } while (0)
#if DNNL_VERSION_MAJOR == 2
#define LAYOUT(d, rank, sizes, type, strides) dnnl_memory_desc_t d; CHECK(dnnl_memory_desc_init_by_strides(&d, rank, sizes, type, strides))
#define DESC(d) &d
#else
#define LAYOUT(d, rank, sizes, type, strides) dnnl_memory_desc_t d; CHECK(dnnl_memory_desc_create_with_strides(&d, rank, sizes, type, strides))
#define DESC(d) d
#endif
static int gelu(dnnl_data_type_t type, dnnl_dim_t count, void* x, void* y) {
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t made; dnnl_primitive_t primitive; dnnl_memory_t mx, my; const char* name;
  dnnl_dims_t sizes = {count}, strides = {1};
  CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0)); CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  LAYOUT(data, 1, sizes, type, strides);
#if DNNL_VERSION_MAJOR == 2
  dnnl_eltwise_desc_t operation; CHECK(dnnl_eltwise_forward_desc_init(&operation, dnnl_forward_inference, dnnl_eltwise_gelu_erf, &data, 0, 0));
  CHECK(dnnl_primitive_desc_create(&made, &operation, NULL, engine, NULL));
#else
  CHECK(dnnl_eltwise_forward_primitive_desc_create(&made, engine, dnnl_forward_inference, dnnl_eltwise_gelu_erf, data, data, 0, 0, NULL));
#endif
  CHECK(dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name)); CHECK(dnnl_primitive_create(&primitive, made));
  CHECK(dnnl_memory_create(&mx, DESC(data), engine, x)); CHECK(dnnl_memory_create(&my, DESC(data), engine, y));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, mx}, {DNNL_ARG_DST, my}};
  CHECK(dnnl_primitive_execute(primitive, stream, 2, arguments)); CHECK(dnnl_stream_wait(stream));
  return printf("%d.%d.%d, %s\n", dnnl_version()->major, dnnl_version()->minor, dnnl_version()->patch, name);
}
int main(void) {
  int wrong = 0;
  uint32_t x[4] = {0x7f800000, 0x7f4dd9ee, 0x7f000000, 0x7effffff}, y[4] = {0};
  uint16_t h[2] = {0x7c00, 0x7bff}, k[2] = {0}, b[3] = {0x7f80, 0x7f7f, 0x7f00}, c[3] = {0};
  if (gelu(dnnl_f32, 4, x, y)) for (int i = 0; i < 4; ++i) wrong |= y[i] != x[i], printf("fp32 gelu(%08x): expected %08x, got %08x\n", x[i], x[i], y[i]);
  if (gelu(dnnl_f16, 2, h, k)) for (int i = 0; i < 2; ++i) wrong |= k[i] != h[i], printf("fp16 gelu(%04x): expected %04x, got %04x\n", h[i], h[i], k[i]);
  if (gelu(dnnl_bf16, 3, b, c)) for (int i = 0; i < 3; ++i) wrong |= c[i] != b[i], printf("bf16 gelu(%04x): expected %04x, got %04x\n", b[i], b[i], c[i]);
  return wrong;
}
