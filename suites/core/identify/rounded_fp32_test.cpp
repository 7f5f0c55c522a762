// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/rounded_fp32.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

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

struct Measured {
  float x, power;
};

// Results of a processor's vector code, which nobody computed from the description.
TEST(SingleFunctions, ThePolynomialHasTheMeasuredResults) {
  for (const Measured& m : {Measured{-0x1.5d51ecp+6F, 0x0p+0F},
                            Measured{-0x1.5beb86p+6F, 0x1.6daa6p-126F},
                            Measured{-0x1.5bf5c2p+6F, 0x0p+0F},
                            Measured{0x1.62e148p+6F, 0x1.fe8c88p+127F},
                            Measured{0x1.633334p+6F, std::numeric_limits<float>::infinity()},
                            Measured{-0x0p+0F, 0x1p+0F},
                            Measured{0x1p-30F, 0x1p+0F},
                            Measured{-0x1p-24F, 0x1.fffffep-1F},
                            Measured{0x1.62e33ep-2F, 0x1.6a098ep+0F},
                            Measured{0x1.62e5dep-2F, 0x1.6a0a7cp+0F},
                            Measured{-0x1.1f8cecp+1F, 0x1.b13be8p-4F},
                            Measured{-0x1.60fd7cp+5F, 0x1.44acdep-64F},
                            Measured{-0x1.6baa1p-2F, 0x1.66f34p-1F},
                            Measured{-0x1.f227e8p+5F, 0x1.1ed80cp-90F},
                            Measured{0x1.ca2ba8p-1F, 0x1.39376ap+1F},
                            Measured{-0x1.95bda4p+4F, 0x1.555242p-37F},
                            Measured{0x1.17217p-1F, 0x1.b993eep+0F},
                            Measured{0x1.7c69p+5F, 0x1.848e78p+68F},
                            Measured{0x1.3ae67p+3F, 0x1.257624p+14F},
                            Measured{-0x1.3ab69p+5F, 0x1.2f835ep-57F},
                            Measured{0x1.c5ae2p+5F, 0x1.c276b8p+81F},
                            Measured{-0x1.ab129cp+0F, 0x1.82344ap-3F},
                            Measured{0x1.394918p+5F, 0x1.69451cp+56F},
                            Measured{0x1.6d908p+1F, 0x1.1642eap+4F},
                            Measured{-0x1.e6bbap+4F, 0x1.14ad04p-44F},
                            Measured{0x1.3268bcp+5F, 0x1.31e394p+55F}}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(m.power),
              std::bit_cast<std::uint32_t>(exp_of_degree5(m.x)))
        << m.x;
  }
  EXPECT_TRUE(std::isinf(exp_of_degree5(std::nanf(""))));
}

TEST(SingleFunctions, ThePolynomialIsNearAndNotAlwaysRight) {
  std::size_t off = 0;
  for (float x = -80; x < 80; x += 0.0137F) {
    const auto right = std::bit_cast<std::int32_t>(exp_of(x));
    const auto got = std::bit_cast<std::int32_t>(exp_of_degree5(x));
    EXPECT_LE(std::abs(right - got), std::abs(x) < 1 ? 2 : 6) << x;
    off += right != got ? 1 : 0;
  }
  EXPECT_GT(off, 100U);
}

}  // namespace
}  // namespace halfmark::suites
