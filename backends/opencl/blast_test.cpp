// SPDX-License-Identifier: Apache-2.0
// What CLBlast's statuses mean. The library is not called.
#include "backends/opencl/blast.hpp"

#include <gtest/gtest.h>

#include "backends/gemm_problem.hpp"

namespace halfmark::backends::opencl {
namespace {

TEST(BlastStatus, DeclinesWhereTheLibrarysGroupsDoNotFit) {
  EXPECT_NO_THROW(check_blast_status(0, "CLBlastSgemm"));
  for (const int status : {-53, -54, -55, -2046})
    EXPECT_THROW(check_blast_status(status, "CLBlastSgemm"), NotOffered) << status;
}

TEST(BlastStatus, FailsWithItsOwnCodesAndThoseOfOpenCl) {
  for (const int status : {-5, -1022, -2040, -9999})
    EXPECT_THROW(check_blast_status(status, "CLBlastSgemm"), BackendError) << status;
}

}  // namespace
}  // namespace halfmark::backends::opencl
