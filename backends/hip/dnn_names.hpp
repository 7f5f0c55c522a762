// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of MIOpen. backends/shim/dnn_vendor.hpp explains the rows.
//
// Compared, row by row, with ROCm/MIOpen 003eaf5 (include/miopen/miopen.h); softmax with its public
// sources (softmax_api.cpp).
//
// Assumptions, from these, of ROCm 6.0 to 6.4:
//  1. Scalars are fp32 whatever the type of the tensors.
//  2. Softmax reads the strides of the first three axes and assumes the fourth to be dense: here it
//  never has more than one element.
//  3. Softmax may answer "not implemented" for bf16, as early releases do; so does the stand-in.
//  4. Softmax silently treats fp64 tensors as fp32 ones, so fp64 is not offered.
//  5. Layer normalisation takes only packed tensors and silently treats others as tensors of x's
//  type. The statistics that it writes for 16-bit tensors are fp32 in MIOpenLayerNorm.cpp of MIOpen
//  0340bc6 and of x's format in that of ROCm/rocm-libraries 1dc1752; they are fp32 from Composable
//  Kernel, which has priority from 33 rows on (forward_layernorm2d_ck.cpp of MIOpen 011277e).
#pragma once

// clang-format off: one row per line
#define HM_DNN_CALLS(X) \
  X(create, miopenCreate) \
  X(destroy, miopenDestroy) \
  X(set_stream, miopenSetStream) \
  X(version_parts, miopenGetVersion) \
  X(status_name, miopenGetErrorString) \
  X(create_tensor, miopenCreateTensorDescriptor) \
  X(destroy_tensor, miopenDestroyTensorDescriptor) \
  X(describe_tensor, miopenSetTensorDescriptor) \
  X(softmax_algorithm_last, miopenSoftmaxForward_V2) \
  X(softmax_backward_algorithm_last, miopenSoftmaxBackward_V2)

// Since 3.0 (ROCm 6.0).
#define HM_DNN_CALLS_OPTIONAL(X) \
  X(layer_norm_forward, miopenLayerNormForward)

#define HM_DNN_TYPES(X) \
  X(fp16, miopenHalf, 0, "fp32") \
  X(bf16, miopenBFloat16, 5, "fp32") \
  X(fp32, miopenFloat, 1, "fp32")

#define HM_DNN_SOFTMAX_WITHOUT "bf16"

#define HM_DNN_SOFTMAX(X) \
  X(accurate, MIOPEN_SOFTMAX_ACCURATE, 1) \
  X(logarithm, MIOPEN_SOFTMAX_LOG, 2) \
  X(instance, MIOPEN_SOFTMAX_MODE_INSTANCE, 0) \
  X(channel, MIOPEN_SOFTMAX_MODE_CHANNEL, 1)

// Guarded by MIOPEN_BETA_API in miopen.h; the symbol is always exported.
#define HM_DNN_LAYER_NORM(X) \
  X(scaled, MIOPEN_WEIGHT_BIAS, 1)

#define HM_DNN_DECLINES(X) \
  X(declined, miopenStatusNotImplemented, 6, 6) \
  X(declined, miopenStatusUnsupportedOp, 8, 8)

#define HM_DNN_INVALID(X) \
  X(invalid, miopenStatusBadParm, 3)
// clang-format on
