// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/rounded_fp32.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "reference/soft/functions.hpp"

namespace halfmark::suites {
namespace {

// glibc's double log is exactly halfway between two floats here, so that the host cannot decide on
// which side the logarithm lies. Found by searching all floats from 2^-126 to 2^76.
TEST(SingleFunctions, HalfwayDoublesAreDecidedByTheReference) {
  for (const std::uint32_t x :
       {0x1f116ab8U, 0x3c413d3aU, 0x41178febU, 0x4c5d65a5U, 0x4d604ebeU, 0x65d890d3U}) {
    const auto expected = soft::log(formats::kFp32, x, {}).bits;
    EXPECT_EQ(expected, std::bit_cast<std::uint32_t>(log_of(std::bit_cast<float>(x)))) << x;
  }
}

TEST(SingleFunctions, SpecialValuesPass) {
  EXPECT_EQ(0.0F, exp_of(-1000));
  EXPECT_EQ(1.0F, exp_of(0));
  EXPECT_TRUE(std::isinf(log_of(0)));
  EXPECT_TRUE(std::isnan(log_of(-1)));
}

}  // namespace
}  // namespace halfmark::suites
