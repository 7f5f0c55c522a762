// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's C interface as rows X(symbol, type), X(enumerator, value) and, for numbers that changed,
// X(enumerator, value in version 2, value in version 3): what both versions share, and what each
// adds. onednn_header_test.cpp compares them with the headers of the installed one.
//
// Assumptions: enumerations are passed as int, opaque handles as pointers, arrays as pointers
// to their first element. In version 2 a description of memory or of an operation is a
// structure, whose content only the library reads; kDescriptionBytes holds the largest. In
// version 3 it is a handle.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfmark::backends::cpu::dnn {

using Status = int;
using Handle = void*;
using Words = const std::int64_t*;

struct ExecArgument {
  int argument;
  Handle memory;
};
struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

inline constexpr std::size_t kDescriptionBytes = 8192;

}  // namespace halfmark::backends::cpu::dnn

// clang-format off: one row per line
#define HM_DNN_CALLS(X) \
  X(dnnl_version, const Version* (*)()) \
  X(dnnl_status2str, const char* (*)(Status)) \
  X(dnnl_engine_create, Status (*)(Handle* engine, int kind, std::size_t index)) \
  X(dnnl_engine_destroy, Status (*)(Handle engine)) \
  X(dnnl_stream_create, Status (*)(Handle* stream, Handle engine, unsigned flags)) \
  X(dnnl_stream_wait, Status (*)(Handle stream)) \
  X(dnnl_stream_destroy, Status (*)(Handle stream)) \
  X(dnnl_memory_create, Status (*)(Handle* memory, const void* description, Handle engine, void* address)) \
  X(dnnl_memory_destroy, Status (*)(Handle memory)) \
  X(dnnl_primitive_create, Status (*)(Handle* primitive, const void* description)) \
  X(dnnl_primitive_execute, Status (*)(const void* primitive, Handle stream, int count, const ExecArgument* arguments)) \
  X(dnnl_primitive_destroy, Status (*)(Handle primitive)) \
  X(dnnl_primitive_desc_destroy, Status (*)(Handle description)) \
  X(dnnl_reorder_primitive_desc_create, Status (*)(Handle* made, const void* x, Handle x_engine, const void* y, Handle y_engine, const void* attributes)) \
  X(dnnl_primitive_attr_create, Status (*)(Handle* attributes)) \
  X(dnnl_primitive_attr_set_post_ops, Status (*)(Handle attributes, const void* chain)) \
  X(dnnl_primitive_attr_destroy, Status (*)(Handle attributes)) \
  X(dnnl_post_ops_create, Status (*)(Handle* chain)) \
  X(dnnl_post_ops_append_binary, Status (*)(Handle chain, int algorithm, const void* operand)) \
  X(dnnl_post_ops_destroy, Status (*)(Handle chain))

// In both versions, with different numbers.
#define HM_DNN_NUMBERS(X) \
  X(dnnl_eltwise_relu, 31, 32) \
  X(dnnl_eltwise_linear, 127, 38) \
  X(dnnl_eltwise_gelu_tanh, 207, 43) \
  X(dnnl_eltwise_swish, 223, 44) \
  X(dnnl_eltwise_gelu_erf, 48, 49) \
  X(dnnl_use_scale, 8, 2) \
  X(dnnl_use_shift, 16, 4) \
  X(DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE, 16384, 32768)

// In both versions, with the same numbers.
#define HM_DNN_SHARED_NUMBERS(X) \
  X(DNNL_RUNTIME_SYCL, 512) \
  X(dnnl_cpu, 1) \
  X(dnnl_invalid_arguments, 2) \
  X(dnnl_unimplemented, 3) \
  X(dnnl_f16, 1) \
  X(dnnl_bf16, 2) \
  X(dnnl_f32, 3) \
  X(dnnl_stream_default_flags, 1) \
  X(dnnl_forward_training, 64) \
  X(dnnl_forward_inference, 96) \
  X(dnnl_backward, 128) \
  X(dnnl_backward_data, 160) \
  X(dnnl_binary_add, 131056) \
  X(dnnl_softmax_accurate, 196608) \
  X(dnnl_softmax_log, 196609) \
  X(dnnl_reduction_max, 196594) \
  X(dnnl_reduction_sum, 196596) \
  X(dnnl_reduction_mean, 196598) \
  X(DNNL_ARG_SRC_0, 1) \
  X(DNNL_ARG_SRC_1, 2) \
  X(DNNL_ARG_DST_0, 17) \
  X(DNNL_ARG_WEIGHTS_0, 33) \
  X(DNNL_ARG_BIAS, 41) \
  X(DNNL_ARG_MEAN, 49) \
  X(DNNL_ARG_VARIANCE, 50) \
  X(DNNL_ARG_SCALE, 51) \
  X(DNNL_ARG_SHIFT, 52) \
  X(DNNL_ARG_DIFF_SRC_0, 129) \
  X(DNNL_ARG_DIFF_DST_0, 145) \
  X(DNNL_ARG_DIFF_SCALE, 255) \
  X(DNNL_ARG_DIFF_SHIFT, 256)

#define HM_DNN_V2_CALLS(X) \
  X(dnnl_memory_desc_init_by_strides, Status (*)(void* description, int rank, Words sizes, int type, Words strides)) \
  X(dnnl_primitive_desc_create, Status (*)(Handle* made, const void* operation, const void* attributes, Handle engine, const void* forward)) \
  X(dnnl_matmul_desc_init, Status (*)(void* operation, const void* a, const void* b, const void* bias, const void* d)) \
  X(dnnl_softmax_v2_forward_desc_init, Status (*)(void* operation, int kind, int algorithm, const void* x, const void* y, int axis)) \
  X(dnnl_softmax_v2_backward_desc_init, Status (*)(void* operation, int algorithm, const void* dx, const void* dy, const void* y, int axis)) \
  X(dnnl_layer_normalization_forward_desc_init, Status (*)(void* operation, int kind, const void* data, const void* statistics, float eps, unsigned flags)) \
  X(dnnl_layer_normalization_backward_desc_init, Status (*)(void* operation, int kind, const void* gradients, const void* data, const void* statistics, float eps, unsigned flags)) \
  X(dnnl_eltwise_forward_desc_init, Status (*)(void* operation, int kind, int algorithm, const void* data, float alpha, float beta)) \
  X(dnnl_eltwise_backward_desc_init, Status (*)(void* operation, int algorithm, const void* gradients, const void* data, float alpha, float beta)) \
  X(dnnl_reduction_desc_init, Status (*)(void* operation, int algorithm, const void* x, const void* y, float p, float eps)) \
  X(dnnl_post_ops_append_sum, Status (*)(Handle chain, float scale)) \
  X(dnnl_post_ops_append_eltwise, Status (*)(Handle chain, float scale, int algorithm, float alpha, float beta))

#define HM_DNN_V3_CALLS(X) \
  X(dnnl_memory_desc_create_with_strides, Status (*)(Handle* made, int rank, Words sizes, int type, Words strides)) \
  X(dnnl_memory_desc_destroy, Status (*)(Handle description)) \
  X(dnnl_matmul_primitive_desc_create, Status (*)(Handle* made, Handle engine, const void* a, const void* b, const void* bias, const void* d, const void* attributes)) \
  X(dnnl_softmax_forward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int kind, int algorithm, const void* x, const void* y, int axis, const void* attributes)) \
  X(dnnl_softmax_backward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int algorithm, const void* dx, const void* dy, const void* y, int axis, const void* forward, const void* attributes)) \
  X(dnnl_layer_normalization_forward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int kind, const void* x, const void* y, const void* statistics, float eps, unsigned flags, const void* attributes)) \
  X(dnnl_eltwise_forward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int kind, int algorithm, const void* x, const void* y, float alpha, float beta, const void* attributes)) \
  X(dnnl_layer_normalization_backward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int kind, const void* dx, const void* dy, const void* x, const void* statistics, float eps, unsigned flags, const void* forward, const void* attributes)) \
  X(dnnl_eltwise_backward_primitive_desc_create, Status (*)(Handle* made, Handle engine, int algorithm, const void* dx, const void* dy, const void* x, float alpha, float beta, const void* forward, const void* attributes)) \
  X(dnnl_reduction_primitive_desc_create, Status (*)(Handle* made, Handle engine, int algorithm, const void* x, const void* y, float p, float eps, const void* attributes)) \
  X(dnnl_post_ops_append_sum, Status (*)(Handle chain, float scale, std::int32_t zero, int type)) \
  X(dnnl_post_ops_append_eltwise, Status (*)(Handle chain, int algorithm, float alpha, float beta))

// In version 3.5 and later.
#define HM_DNN_V3_CALLS_OPTIONAL(X) \
  X(dnnl_layer_normalization_forward_primitive_desc_create_v2, Status (*)(Handle* made, Handle engine, int kind, const void* x, const void* y, const void* statistics, int scale_type, float eps, unsigned flags, const void* attributes)) \
  X(dnnl_layer_normalization_backward_primitive_desc_create_v2, Status (*)(Handle* made, Handle engine, int kind, const void* dx, const void* dy, const void* x, const void* statistics, int gradient_type, int scale_type, float eps, unsigned flags, const void* forward, const void* attributes))

#define HM_DNN_V3_NUMBERS(X) \
  X(dnnl_f8_e5m2, 9) \
  X(dnnl_f8_e4m3, 10) \
  X(dnnl_rms_norm, 32)
// clang-format on
