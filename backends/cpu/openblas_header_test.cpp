// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with OpenBLAS's own header at compile time. Debian's header lacks the
// calls that its build lacks.
#include <cblas.h>
#include <gtest/gtest.h>

#include "backends/cpu/blas_header_check.hpp"

namespace halfmark::backends::cpu {
namespace {

HM_OPENBLAS_CALLS(HM_BLAS_CHECK_CALL)
HM_BLAS_NUMBERS(HM_BLAS_CHECK_NUMBER)
static_assert(sizeof(blasint) == sizeof(int));
static_assert(sizeof(bfloat16) == sizeof(std::uint16_t));
static_assert(shim::header_check::kSameCall<BlasGemm<float>, decltype(&cblas_sgemm)>);
// The header declares it whatever the build has.
static_assert(shim::header_check::kSameCall<BlasGemm<std::uint16_t>, decltype(&cblas_sbgemm)>);

TEST(OpenBlasHeader, IsTheOneThatTheRowsWereComparedWith) { EXPECT_EQ(102, CblasColMajor); }

}  // namespace
}  // namespace halfmark::backends::cpu
