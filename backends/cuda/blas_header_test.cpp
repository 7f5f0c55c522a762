// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with cuBLAS's own header at compile time.
#ifndef CUBLASAPI  // releases before 13 leave it to the header that includes this one
#define CUBLASAPI
#endif
#include <cublas_api.h>
#include <gtest/gtest.h>

#include "backends/cuda/blas_names.hpp"
#include "backends/shim/blas_calls.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cuda {
namespace {

#define HM_CHECK_BLAS_CALL(role, symbol) HM_CHECK_CALL(BlasCalls, role, symbol, #symbol)
#define HM_CHECK_BLAS_COMPUTE(word, enumerator, value, mode, mode_value, scalars) \
  HM_CHECK_NUMBER(word, enumerator, value)                                        \
  HM_CHECK_NUMBER(word, mode, mode_value)

// In C++ the header overloads this call by the type of its computation parameter.
using Multiply = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                    int, const void*, const void*, cudaDataType, int, long long,
                                    const void*, cudaDataType, int, long long, const void*, void*,
                                    cudaDataType, int, long long, int, cublasComputeType_t,
                                    cublasGemmAlgo_t);
#define HM_CHECK_BLAS_MULTIPLY(role, symbol)                                             \
  static_assert(shim::header_check::kSameCall<decltype(shim::BlasCalls::role),           \
                                              decltype(static_cast<Multiply>(&symbol))>, \
                #role " is not " #symbol);
HM_BLAS_MULTIPLY(HM_CHECK_BLAS_MULTIPLY)
#undef HM_BLAS_MULTIPLY
#define HM_BLAS_MULTIPLY(X)
HM_BLAS_CALLS(HM_CHECK_BLAS_CALL)
HM_BLAS_CALLS_OPTIONAL(HM_CHECK_BLAS_CALL)
HM_BLAS_OPERATIONS(HM_CHECK_NUMBER)
HM_BLAS_TYPES(HM_CHECK_NUMBER)
HM_BLAS_COMPUTES(HM_CHECK_BLAS_COMPUTE)
HM_BLAS_ALGORITHM(HM_CHECK_NUMBER)
HM_BLAS_DECLINES(HM_CHECK_NUMBER)
HM_BLAS_INVALID(HM_CHECK_NUMBER)
static_assert(CUBLAS_ATOMICS_NOT_ALLOWED == 0);

TEST(CublasHeader, IsOneThatTheRowsWereComparedWith) { EXPECT_GE(CUBLAS_VER_MAJOR, 11); }

}  // namespace
}  // namespace halfmark::backends::cuda
