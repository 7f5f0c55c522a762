// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_lt_names.hpp with cuBLASLt's own header at compile time.
#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "backends/cuda/blas_lt_names.hpp"
#include "backends/shim/blas_lt_calls.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cuda {
namespace {

#define HM_CHECK_LT_CALL(role, symbol) HM_CHECK_CALL(LtCalls, role, symbol, #symbol)
#define HM_CHECK_LT_COMPUTE(word, enumerator, value, reductions, scalars) \
  HM_CHECK_NUMBER(word, enumerator, value)
#define HM_CHECK_LT_EPILOGUE(activation, has_bias, enumerator, value) \
  HM_CHECK_NUMBER(activation, enumerator, value)

HM_LT_CALLS(HM_CHECK_LT_CALL)
HM_LT_CALLS_OPTIONAL(HM_CHECK_LT_CALL)
HM_LT_NUMBERS(HM_CHECK_NUMBER)
HM_LT_TYPES(HM_CHECK_NUMBER)
HM_LT_COMPUTES(HM_CHECK_LT_COMPUTE)
HM_LT_EPILOGUES(HM_CHECK_LT_EPILOGUE)
HM_LT_ALGORITHM(HM_CHECK_NUMBER)
HM_LT_DECLINES(HM_CHECK_NUMBER)
HM_LT_INVALID(HM_CHECK_NUMBER)
static_assert(CUBLASLT_REDUCTION_SCHEME_INPLACE == 1);
static_assert(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE == 2);
static_assert(CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE == 4);

using Result = cublasLtMatmulHeuristicResult_t;
constexpr std::size_t kAlgorithm = sizeof(cublasLtMatmulAlgo_t);
static_assert(offsetof(Result, workspaceSize) ==
              kAlgorithm + offsetof(shim::LtChoice, workspace_bytes));
static_assert(offsetof(Result, state) == kAlgorithm + offsetof(shim::LtChoice, state));
static_assert(sizeof(Result) == kAlgorithm + sizeof(shim::LtChoice));

TEST(CublasLtHeader, IsOneThatTheRowsWereComparedWith) { EXPECT_GE(CUBLAS_VER_MAJOR, 12); }

}  // namespace
}  // namespace halfmark::backends::cuda
