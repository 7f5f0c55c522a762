// SPDX-License-Identifier: Apache-2.0
//
// Compares blas_names.hpp with BLIS's own headers at compile time.
#include <blis.h>
#include <cblas.h>
#include <gtest/gtest.h>

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
HM_BLIS_GEMMS(HM_BLAS_CHECK_GEMM)
HM_BLIS_CALLS(HM_BLAS_CHECK_CALL)
HM_BLAS_NUMBERS(HM_BLAS_CHECK_NUMBER)
static_assert(sizeof(f77_int) == sizeof(int));

TEST(BlisHeader, IsTheOneThatTheRowsWereComparedWith) { EXPECT_EQ(102, CblasColMajor); }

}  // namespace
}  // namespace halfmark::backends::cpu
