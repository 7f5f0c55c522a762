// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with BLIS's own headers at compile time.
#include <blis.h>
#include <cblas.h>
#include <gtest/gtest.h>

#include "backends/cpu/blas_header_check.hpp"

namespace halfmark::backends::cpu {
namespace {

HM_BLIS_GEMMS(HM_BLAS_CHECK_GEMM)
HM_BLIS_CALLS(HM_BLAS_CHECK_CALL)
HM_BLAS_NUMBERS(HM_BLAS_CHECK_NUMBER)
static_assert(sizeof(f77_int) == sizeof(int));

TEST(BlisHeader, IsTheOneThatTheRowsWereComparedWith) { EXPECT_EQ(102, CblasColMajor); }

}  // namespace
}  // namespace halfmark::backends::cpu
