// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of rocBLAS. backends/shim/blas_vendor.hpp explains the rows.
//
// Assumptions, from its public headers (rocblas-types.h, rocblas-functions.h):
//  1. The types of matrices are also the types of computations.
//  2. A handle takes scalars from the host by default; solution 0 and no flags are the defaults.
#pragma once

// clang-format off: one row per line
#define HM_BLAS_CALLS(X) \
  X(create, rocblas_create_handle) \
  X(destroy, rocblas_destroy_handle) \
  X(set_stream, rocblas_set_stream) \
  X(version_text, rocblas_get_version_string) \
  X(status_name, rocblas_status_to_string) \
  X(set_atomics_mode, rocblas_set_atomics_mode) \
  X(multiply, rocblas_gemm_strided_batched_ex)

// Since ROCm 5.7.
#define HM_BLAS_CALLS_OPTIONAL(X) \
  X(set_math_mode, rocblas_set_math_mode)

#define HM_BLAS_OPERATIONS(X) \
  X(none, rocblas_operation_none, 111) \
  X(transpose, rocblas_operation_transpose, 112)

#define HM_BLAS_TYPES(X) \
  X(fp16, rocblas_datatype_f16_r, 150) \
  X(bf16, rocblas_datatype_bf16_r, 168) \
  X(fp32, rocblas_datatype_f32_r, 151) \
  X(fp64, rocblas_datatype_f64_r, 152)

#define HM_BLAS_COMPUTES(X) \
  X("fp32", rocblas_datatype_f32_r, 151, rocblas_default_math, 0, "fp32") \
  X("tf32", rocblas_datatype_f32_r, 151, rocblas_xf32_xdl_math_op, 1, "fp32") \
  X("fp16", rocblas_datatype_f16_r, 150, rocblas_default_math, 0, "fp16") \
  X("fp64", rocblas_datatype_f64_r, 152, rocblas_default_math, 0, "fp64")

#define HM_BLAS_ALGORITHM(X) \
  X(algorithm, rocblas_gemm_algo_standard, 0)

#define HM_BLAS_DECLINES(X) \
  X(declined, rocblas_status_not_implemented, 2) \
  X(declined, rocblas_status_excluded_from_build, 14) \
  X(declined, rocblas_status_arch_mismatch, 15)

#define HM_BLAS_INVALID(X) \
  X(invalid, rocblas_status_invalid_value, 11)
// clang-format on
