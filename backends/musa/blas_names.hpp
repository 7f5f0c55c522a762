// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of muBLAS. backends/shim/blas_vendor.hpp explains the rows.
//
// Assumptions, from public programs that call it, because the headers were not available
// for comparison:
//  1. Names and calls are those of the interface that it mirrors, without suffixes; operations and
//  statuses have the numbers of a different interface.
//  2. Releases up to SDK 3 take a data type where later ones take a computation. A public binding
//  (FlagOS) finds mublasGemmEx in one library twice: with a computation under a C++ name, and with
//  a data type under the C name. A trial determines which of the two the C name of the strided
//  form is.
//  3. Math modes have no published numbers, so none is set.
#pragma once

// clang-format off: one row per line
#define HM_BLAS_CALLS(X) \
  X(create, mublasCreate) \
  X(destroy, mublasDestroy) \
  X(set_stream, mublasSetStream) \
  X(multiply_in_place, mublasGemmStridedBatchedEx)

#define HM_BLAS_CALLS_OPTIONAL(X) \
  X(version, mublasGetVersion) \
  X(status_name, mublasGetStatusString) \
  X(set_atomics_mode, mublasSetAtomicsMode)

#define HM_BLAS_OPERATIONS(X) \
  X(none, MUBLAS_OP_N, 111) \
  X(transpose, MUBLAS_OP_T, 112)

#define HM_BLAS_TYPES(X) \
  X(fp16, MUSA_R_16F, 2) \
  X(bf16, MUSA_R_16BF, 14) \
  X(fp32, MUSA_R_32F, 0) \
  X(fp64, MUSA_R_64F, 1)

#define HM_BLAS_COMPUTES(X) \
  X("fp32", MUBLAS_COMPUTE_32F, 68, none, 0, "fp32") \
  X("tf32", MUBLAS_COMPUTE_32F_FAST_TF32, 77, none, 0, "fp32") \
  X("fp16", MUBLAS_COMPUTE_16F, 64, none, 0, "fp16") \
  X("fp64", MUBLAS_COMPUTE_64F, 70, none, 0, "fp64")

// Up to SDK 3.
#define HM_BLAS_COMPUTES_BY_TYPE(X) \
  X("fp32", MUSA_R_32F, 0, none, 0, "fp32") \
  X("fp16", MUSA_R_16F, 2, none, 0, "fp16") \
  X("fp64", MUSA_R_64F, 1, none, 0, "fp64")

#define HM_BLAS_ALGORITHM(X) \
  X(algorithm, MUBLAS_GEMM_DEFAULT, 0)

#define HM_BLAS_DECLINES(X) \
  X(declined, MUBLAS_STATUS_NOT_IMPLEMENTED, 2)

#define HM_BLAS_INVALID(X) \
  X(invalid, MUBLAS_STATUS_INVALID_VALUE, 11)
// clang-format on
