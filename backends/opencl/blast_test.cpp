// SPDX-License-Identifier: Apache-2.0
// What CLBlast's statuses mean, and what its documents leave open. The library is not called.
#include "backends/opencl/blast.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// What freedoms are conditioned on, in fp32 and in fp16, and no name that nothing looks for.
TEST(BlastPromises, NameCapabilitiesThatExist) {
  std::vector<std::string> names;
  for (const Promise& row : blast_library().promises) names.push_back(row.capability);
  EXPECT_EQ((std::vector<std::string>{"fp32.subnormals", "fp32.signed_zero",
                                      "products.internal_precision", "fp16.arithmetic.subnormals",
                                      "fp16.arithmetic.signed_zero"}),
            names);
}

}  // namespace
}  // namespace halfmark::backends::opencl
