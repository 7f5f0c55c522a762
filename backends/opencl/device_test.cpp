// SPDX-License-Identifier: Apache-2.0
// What the error of a refused launch says. No driver is asked.
#include "backends/opencl/device.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends::opencl {
namespace {

constexpr std::uint64_t kItems = 256;

// One kernel may have fewer items in a group than the device: gemm's registers can be too many.
TEST(RefusedLaunch, HasBothNumbersWhereTheKernelAdmitsFewer) {
  for (const cl_int code : {CL_INVALID_WORK_GROUP_SIZE, CL_OUT_OF_RESOURCES})
    EXPECT_EQ("gemm: 256 items in a group, CL_KERNEL_WORK_GROUP_SIZE of this kernel is 128",
              refused_launch(code, "gemm", kItems, 128));
}

TEST(RefusedLaunch, NamesTheKernelAloneWhereNothingElseIsKnown) {
  EXPECT_EQ("gemm", refused_launch(CL_OUT_OF_RESOURCES, "gemm", kItems, 256));
  EXPECT_EQ("gemm", refused_launch(CL_OUT_OF_RESOURCES, "gemm", kItems, 0));
  EXPECT_EQ("gemm", refused_launch(CL_INVALID_KERNEL_ARGS, "gemm", kItems, 128));
}

}  // namespace
}  // namespace halfmark::backends::opencl
