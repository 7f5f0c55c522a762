// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with MKL's own headers, those of the build with 32-bit integers, at
// compile time.
#include <gtest/gtest.h>
#include <mkl_cblas.h>
#include <mkl_service.h>

#include <cstddef>

#include "backends/cpu/blas_names.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cpu {
namespace {

#define HM_BLAS_CHECK_CALL(symbol, type)                                        \
  static_assert(shim::header_check::kSameCall<type, decltype(&symbol)>, #symbol \
                " is another "                                                  \
                "call");
#define HM_BLAS_CHECK_NUMBER(enumerator, value) \
  static_assert(static_cast<int>(enumerator) == value, #enumerator " is not " #value);
#define HM_BLAS_INPUT(format, type) using Of_##format = BlasGemm<type>;
HM_BLAS_INPUTS(HM_BLAS_INPUT)
#define HM_BLAS_CHECK_GEMM(format, symbol, required) HM_BLAS_CHECK_CALL(symbol, Of_##format)
HM_MKL_GEMMS(HM_BLAS_CHECK_GEMM)
HM_MKL_CALLS(HM_BLAS_CHECK_CALL)
HM_MKL_NUMBERS(HM_BLAS_CHECK_NUMBER)
HM_BLAS_NUMBERS(HM_BLAS_CHECK_NUMBER)
static_assert(sizeof(MKL_INT) == sizeof(int));

TEST(MklHeader, IsTheOneThatTheRowsWereComparedWith) { EXPECT_EQ(102, CblasColMajor); }

}  // namespace
}  // namespace halfmark::backends::cpu
