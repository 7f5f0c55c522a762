// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of cuBLASLt, since CUDA 11.8. backends/shim/blas_lt_vendor.hpp explains
// the rows; blas_lt_header_test.cpp compares them with cublasLt.h.
//
// Assumption, not in the header: CUBLASLT_EPILOGUE_GELU is 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715
// x^3))), the form for which the frameworks use it.
#pragma once

#include "backends/cuda/blas_names.hpp"

// clang-format off: one row per line
#define HM_LT_CALLS(X) \
  X(create, cublasLtCreate) \
  X(destroy, cublasLtDestroy) \
  X(version, cublasLtGetVersion) \
  X(layout_create, cublasLtMatrixLayoutCreate) \
  X(layout_destroy, cublasLtMatrixLayoutDestroy) \
  X(layout_set, cublasLtMatrixLayoutSetAttribute) \
  X(product_create, cublasLtMatmulDescCreate) \
  X(product_destroy, cublasLtMatmulDescDestroy) \
  X(product_set, cublasLtMatmulDescSetAttribute) \
  X(preference_create, cublasLtMatmulPreferenceCreate) \
  X(preference_destroy, cublasLtMatmulPreferenceDestroy) \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute) \
  X(choose, cublasLtMatmulAlgoGetHeuristic) \
  X(multiply, cublasLtMatmul)

// Since 11.4.
#define HM_LT_CALLS_OPTIONAL(X) \
  X(status_name, cublasLtGetStatusName)

#define HM_LT_NUMBERS(X) \
  HM_BLAS_OPERATIONS(X) \
  X(layout_batch, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5) \
  X(layout_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6) \
  X(product_first, CUBLASLT_MATMUL_DESC_TRANSA, 3) \
  X(product_second, CUBLASLT_MATMUL_DESC_TRANSB, 4) \
  X(product_epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE, 7) \
  X(product_bias, CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8) \
  X(product_bias_type, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 26) \
  X(product_first_scale, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 17) \
  X(product_second_scale, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 18) \
  X(product_d_scale, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, 20) \
  X(preference_workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1) \
  X(preference_reductions, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3) \
  X(preference_first_alignment, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) \
  X(preference_second_alignment, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6) \
  X(preference_c_alignment, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7) \
  X(preference_d_alignment, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)

#define HM_LT_TYPES(X) \
  HM_BLAS_TYPES(X) \
  X(e4m3fn, CUDA_R_8F_E4M3, 28) \
  X(e5m2, CUDA_R_8F_E5M2, 29)

// Split-k partial sums may be added in the type of the computation (2), and if that is not
// strict also in the type of the result (4); never in place (1), by atomics in a random order.
// fp32 is strict.
#define HM_LT_COMPUTES(X) \
  X("fp32", CUBLAS_COMPUTE_32F, 68, 2, "fp32") \
  X("fp32-reduced", CUBLAS_COMPUTE_32F, 68, 6, "fp32") \
  X("tf32", CUBLAS_COMPUTE_32F_FAST_TF32, 77, 2, "fp32") \
  X("fp16", CUBLAS_COMPUTE_16F, 64, 6, "fp16") \
  X("fp64", CUBLAS_COMPUTE_64F, 70, 2, "fp64")

#define HM_LT_EPILOGUES(X) \
  X("", false, CUBLASLT_EPILOGUE_DEFAULT, 1) \
  X("", true, CUBLASLT_EPILOGUE_BIAS, 4) \
  X("relu", false, CUBLASLT_EPILOGUE_RELU, 2) \
  X("relu", true, CUBLASLT_EPILOGUE_RELU_BIAS, 6) \
  X("gelu_tanh", false, CUBLASLT_EPILOGUE_GELU, 32) \
  X("gelu_tanh", true, CUBLASLT_EPILOGUE_GELU_BIAS, 36)

#define HM_LT_ALGORITHM(X) \
  X(algorithm, sizeof(cublasLtMatmulAlgo_t), 64)

#define HM_LT_DECLINES(X) HM_BLAS_DECLINES(X)
#define HM_LT_INVALID(X) HM_BLAS_INVALID(X)
// clang-format on
