// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of cuBLAS, since CUDA 11. backends/shim/blas_vendor.hpp explains the
// rows; blas_header_test.cpp compares them with cublas_api.h.
#pragma once

// clang-format off: one row per line
#define HM_BLAS_CALLS(X) \
  X(create, cublasCreate_v2) \
  X(set_stream, cublasSetStream_v2) \
  X(destroy, cublasDestroy_v2) \
  X(version, cublasGetVersion_v2) \
  X(set_math_mode, cublasSetMathMode) \
  X(set_atomics_mode, cublasSetAtomicsMode) \
  HM_BLAS_MULTIPLY(X)

#define HM_BLAS_MULTIPLY(X) \
  X(multiply_in_place, cublasGemmStridedBatchedEx)

// Since 11.4.
#define HM_BLAS_CALLS_OPTIONAL(X) \
  X(status_name, cublasGetStatusName)

#define HM_BLAS_OPERATIONS(X) \
  X(none, CUBLAS_OP_N, 0) \
  X(transpose, CUBLAS_OP_T, 1)

#define HM_BLAS_TYPES(X) \
  X(fp16, CUDA_R_16F, 2) \
  X(bf16, CUDA_R_16BF, 14) \
  X(fp32, CUDA_R_32F, 0) \
  X(fp64, CUDA_R_64F, 1)

// fp32 is strict: without the flag, split-k partial sums may be kept in the type of the result.
#define HM_BLAS_COMPUTES(X) \
  X("fp32", CUBLAS_COMPUTE_32F, 68, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16, "fp32") \
  X("fp32-reduced", CUBLAS_COMPUTE_32F, 68, CUBLAS_DEFAULT_MATH, 0, "fp32") \
  X("tf32", CUBLAS_COMPUTE_32F_FAST_TF32, 77, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16, "fp32") \
  X("fp16", CUBLAS_COMPUTE_16F, 64, CUBLAS_DEFAULT_MATH, 0, "fp16") \
  X("fp64", CUBLAS_COMPUTE_64F, 70, CUBLAS_DEFAULT_MATH, 0, "fp64")

#define HM_BLAS_ALGORITHM(X) \
  X(algorithm, CUBLAS_GEMM_DEFAULT, -1)

#define HM_BLAS_DECLINES(X) \
  X(declined, CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  X(declined, CUBLAS_STATUS_ARCH_MISMATCH, 8)

#define HM_BLAS_INVALID(X) \
  X(invalid, CUBLAS_STATUS_INVALID_VALUE, 7)
// clang-format on
