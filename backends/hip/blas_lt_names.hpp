// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of hipBLASLt. backends/shim/blas_lt_vendor.hpp explains the rows.
//
// Compared, row by row, with ROCm/hipBLASLt 4a8a787 (library/include/hipblaslt/hipblaslt.h, 2025)
// and ROCm/hipBLAS-common 6b7748e (library/include/hipblas-common.h), and with the types of HIP's
// library_types.h, which contains the OCP formats of 8 bits since 6.3. hipBLASLt before ROCm 6 has
// the same file name but other computations; its trial fails.
//
// Assumptions, from these and the hipBLASLt documentation:
//  1. Operations and statuses are hipBLAS's, types are HIP's, computations are hipBLAS's numbered
//  from 0.
//  2. The attributes of a descriptor keep their numbers from release to release.
//  3. No call returns the name of a status; split-k partial sums are added in the type of the
//  computation; no alignment is assumed.
//  4. HIPBLASLT_EPILOGUE_GELU is the form with tanh.
#pragma once

// clang-format off: one row per line
#define HM_LT_CALLS(X) \
  X(create, hipblasLtCreate) \
  X(destroy, hipblasLtDestroy) \
  X(version_of, hipblasLtGetVersion) \
  X(layout_create, hipblasLtMatrixLayoutCreate) \
  X(layout_destroy, hipblasLtMatrixLayoutDestroy) \
  X(layout_set, hipblasLtMatrixLayoutSetAttribute) \
  X(product_create, hipblasLtMatmulDescCreate) \
  X(product_destroy, hipblasLtMatmulDescDestroy) \
  X(product_set, hipblasLtMatmulDescSetAttribute) \
  X(preference_create, hipblasLtMatmulPreferenceCreate) \
  X(preference_destroy, hipblasLtMatmulPreferenceDestroy) \
  X(preference_set, hipblasLtMatmulPreferenceSetAttribute) \
  X(choose, hipblasLtMatmulAlgoGetHeuristic) \
  X(multiply, hipblasLtMatmul)

#define HM_LT_CALLS_OPTIONAL(X)

#define HM_LT_NUMBERS(X) \
  X(none, HIPBLAS_OP_N, 111) \
  X(transpose, HIPBLAS_OP_T, 112) \
  X(layout_batch, HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 0) \
  X(layout_stride, HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 1) \
  X(product_first, HIPBLASLT_MATMUL_DESC_TRANSA, 0) \
  X(product_second, HIPBLASLT_MATMUL_DESC_TRANSB, 1) \
  X(product_epilogue, HIPBLASLT_MATMUL_DESC_EPILOGUE, 2) \
  X(product_bias, HIPBLASLT_MATMUL_DESC_BIAS_POINTER, 3) \
  X(product_bias_type, HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 4) \
  X(product_first_scale, HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER, 5) \
  X(product_second_scale, HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER, 6) \
  X(product_d_scale, HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER, 8) \
  X(preference_workspace, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)

#define HM_LT_TYPES(X) \
  X(fp16, HIP_R_16F, 2) \
  X(bf16, HIP_R_16BF, 14) \
  X(fp32, HIP_R_32F, 0) \
  X(fp64, HIP_R_64F, 1) \
  X(e4m3fn, HIP_R_8F_E4M3, 28) \
  X(e5m2, HIP_R_8F_E5M2, 29) \
  X(e4m3fnuz, HIP_R_8F_E4M3_FNUZ, 1000) \
  X(e5m2fnuz, HIP_R_8F_E5M2_FNUZ, 1001)

#define HM_LT_COMPUTES(X) \
  X("fp32", HIPBLAS_COMPUTE_32F, 2, 0, "fp32") \
  X("tf32", HIPBLAS_COMPUTE_32F_FAST_TF32, 6, 0, "fp32") \
  X("fp16", HIPBLAS_COMPUTE_16F, 0, 0, "fp16") \
  X("fp64", HIPBLAS_COMPUTE_64F, 7, 0, "fp64")

#define HM_LT_EPILOGUES(X) \
  X("", false, HIPBLASLT_EPILOGUE_DEFAULT, 1) \
  X("", true, HIPBLASLT_EPILOGUE_BIAS, 4) \
  X("relu", false, HIPBLASLT_EPILOGUE_RELU, 2) \
  X("relu", true, HIPBLASLT_EPILOGUE_RELU_BIAS, 6) \
  X("gelu_tanh", false, HIPBLASLT_EPILOGUE_GELU, 32) \
  X("gelu_tanh", true, HIPBLASLT_EPILOGUE_GELU_BIAS, 36) \
  X("silu", false, HIPBLASLT_EPILOGUE_SWISH_EXT, 65536) \
  X("silu", true, HIPBLASLT_EPILOGUE_SWISH_BIAS_EXT, 65540)

#define HM_LT_ALGORITHM(X) \
  X(algorithm, sizeof(hipblasLtMatmulAlgo_t), 24)

#define HM_LT_DECLINES(X) \
  X(declined, HIPBLAS_STATUS_NOT_SUPPORTED, 7) \
  X(declined, HIPBLAS_STATUS_ARCH_MISMATCH, 8)

#define HM_LT_INVALID(X) \
  X(invalid, HIPBLAS_STATUS_INVALID_VALUE, 3)
// clang-format on
