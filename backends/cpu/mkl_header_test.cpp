// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with MKL's own headers, those of the build with 32-bit integers, at
// compile time.
#include <gtest/gtest.h>
#include <mkl_cblas.h>
#include <mkl_service.h>

#include "backends/cpu/blas_header_check.hpp"

namespace halfmark::backends::cpu {
namespace {

HM_MKL_GEMMS(HM_BLAS_CHECK_GEMM)
HM_MKL_CALLS(HM_BLAS_CHECK_CALL)
HM_MKL_NUMBERS(HM_BLAS_CHECK_NUMBER)
HM_BLAS_NUMBERS(HM_BLAS_CHECK_NUMBER)
static_assert(sizeof(MKL_INT) == sizeof(int));

TEST(MklHeader, IsTheOneThatTheRowsWereComparedWith) { EXPECT_EQ(102, CblasColMajor); }

}  // namespace
}  // namespace halfmark::backends::cpu
