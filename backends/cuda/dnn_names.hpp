// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of cuDNN 8 and 9. backends/shim/dnn_vendor.hpp explains the rows;
// dnn_header_test.cpp compares them with cudnn.h.
//
// Assumptions, from cuDNN's API reference:
//  1. Scalars and sums are fp32 for tensors of fp16, bf16 and fp32, and fp64 for those of fp64.
//  2. From 9 on, statuses are numbered by thousands: those from 3000 mean "not supported". Before,
//  these were 6, 9 and 11, which are undefined in 9.
#pragma once

// clang-format off: one row per line
#define HM_DNN_CALLS(X) \
  X(create, cudnnCreate) \
  X(destroy, cudnnDestroy) \
  X(set_stream, cudnnSetStream) \
  X(version_part, cudnnGetProperty) \
  X(status_name, cudnnGetErrorString) \
  X(create_tensor, cudnnCreateTensorDescriptor) \
  X(destroy_tensor, cudnnDestroyTensorDescriptor) \
  X(describe_tensor, cudnnSetTensorNdDescriptor) \
  X(softmax_algorithm_first, cudnnSoftmaxForward) \
  X(softmax_backward_algorithm_first, cudnnSoftmaxBackward) \
  X(create_descriptor, cudnnBackendCreateDescriptor) \
  X(destroy_descriptor, cudnnBackendDestroyDescriptor) \
  X(set_attribute, cudnnBackendSetAttribute) \
  X(get_attribute, cudnnBackendGetAttribute) \
  X(finalise, cudnnBackendFinalize) \
  X(execute, cudnnBackendExecute)

// Since 9.0.
#define HM_DNN_CALLS_OPTIONAL(X) \
  X(last_words, cudnnGetLastErrorString)

#define HM_DNN_TYPES(X) \
  X(fp16, CUDNN_DATA_HALF, 2, "fp32") \
  X(bf16, CUDNN_DATA_BFLOAT16, 9, "fp32") \
  X(fp32, CUDNN_DATA_FLOAT, 0, "fp32") \
  X(fp64, CUDNN_DATA_DOUBLE, 1, "fp64")

#define HM_DNN_SOFTMAX(X) \
  X(accurate, CUDNN_SOFTMAX_ACCURATE, 1) \
  X(logarithm, CUDNN_SOFTMAX_LOG, 2) \
  X(instance, CUDNN_SOFTMAX_MODE_INSTANCE, 0) \
  X(channel, CUDNN_SOFTMAX_MODE_CHANNEL, 1)

// The numbers of the graph interface (cudnn_graph.h; cudnn_backend.h in 8). The first releases of 8
// had no CUDNN_RMS_NORM.
#define HM_DNN_GRAPH(X) \
  X(tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17) \
  X(norm_forward, CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR, 29) \
  X(norm_backward, CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR, 30) \
  X(operation_graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15) \
  X(heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4) \
  X(engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2) \
  X(engine_configuration, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3) \
  X(plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5) \
  X(variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16) \
  X(type_handle, CUDNN_TYPE_HANDLE, 0) \
  X(type_data_type, CUDNN_TYPE_DATA_TYPE, 1) \
  X(type_boolean, CUDNN_TYPE_BOOLEAN, 2) \
  X(type_int64, CUDNN_TYPE_INT64, 3) \
  X(type_void_pointer, CUDNN_TYPE_VOID_PTR, 6) \
  X(type_heuristics_mode, CUDNN_TYPE_HEUR_MODE, 8) \
  X(type_descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR, 15) \
  X(type_norm_mode, CUDNN_TYPE_NORM_MODE, 27) \
  X(type_norm_phase, CUDNN_TYPE_NORM_FWD_PHASE, 28) \
  X(type_note, CUDNN_TYPE_NUMERICAL_NOTE, 11) \
  X(tensor_byte_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900) \
  X(tensor_data_type, CUDNN_ATTR_TENSOR_DATA_TYPE, 901) \
  X(tensor_dimensions, CUDNN_ATTR_TENSOR_DIMENSIONS, 902) \
  X(tensor_strides, CUDNN_ATTR_TENSOR_STRIDES, 903) \
  X(tensor_unique_id, CUDNN_ATTR_TENSOR_UNIQUE_ID, 906) \
  X(tensor_is_by_value, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 908) \
  X(forward_mode, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, 2000) \
  X(forward_phase, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, 2001) \
  X(forward_x, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, 2002) \
  X(forward_mean, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, 2003) \
  X(forward_rstd, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, 2004) \
  X(forward_scale, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, 2005) \
  X(forward_bias, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, 2006) \
  X(forward_epsilon, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, 2007) \
  X(forward_y, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, 2013) \
  X(backward_mode, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, 2100) \
  X(backward_x, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, 2101) \
  X(backward_mean, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, 2102) \
  X(backward_rstd, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, 2103) \
  X(backward_dy, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, 2104) \
  X(backward_scale, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, 2105) \
  X(backward_dscale, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, 2107) \
  X(backward_dbias, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, 2108) \
  X(backward_dx, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, 2109) \
  X(graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800) \
  X(graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS, 801) \
  X(heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE, 200) \
  X(heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201) \
  X(heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS, 202) \
  X(configuration_engine, CUDNN_ATTR_ENGINECFG_ENGINE, 300) \
  X(engine_notes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303) \
  X(plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400) \
  X(plan_configuration, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401) \
  X(plan_workspace_bytes, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402) \
  X(pack_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000) \
  X(pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001) \
  X(pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003) \
  X(layer_norm, CUDNN_LAYER_NORM, 0) \
  X(rms_norm, CUDNN_RMS_NORM, 4) \
  X(inference, CUDNN_NORM_FWD_INFERENCE, 0) \
  X(training, CUDNN_NORM_FWD_TRAINING, 1) \
  X(heuristics_a, CUDNN_HEUR_MODE_A, 3) \
  X(heuristics_fallback, CUDNN_HEUR_MODE_FALLBACK, 2) \
  X(nondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4)

#define HM_DNN_DECLINES(X) \
  X(declined, CUDNN_STATUS_NOT_SUPPORTED, 3000, 3999) \
  HM_DNN_DECLINES_BEFORE_9(X)

#define HM_DNN_DECLINES_BEFORE_9(X) \
  X(declined, CUDNN_STATUS_ARCH_MISMATCH, 6, 6) \
  X(declined, CUDNN_STATUS_NOT_SUPPORTED, 9, 9) \
  X(declined, CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING, 11, 11)

#define HM_DNN_INVALID(X) \
  X(invalid, CUDNN_STATUS_BAD_PARAM, 2000)
// clang-format on
