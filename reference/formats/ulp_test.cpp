// SPDX-License-Identifier: Apache-2.0
// Order, distance and neighbours, walked through every 16-bit encoding.
#include "reference/formats/ulp.hpp"

#include <gtest/gtest.h>

namespace halfmark::formats {
namespace {

class Ulp : public testing::TestWithParam<Format> {};

TEST_P(Ulp, WalkingUpVisitsEveryValueOnce) {
  const Format& f = GetParam();
  Bits bits = infinity(f, true);
  std::uint64_t steps = 0;
  while (bits != infinity(f)) {
    const Bits up = next_up(f, bits);
    ASSERT_EQ(ordered(f, up), ordered(f, bits) + 1) << bits;
    ASSERT_EQ(ulp_distance(f, bits, up), 1U);
    ASSERT_EQ(ordered(f, next_down(f, up)), ordered(f, bits));
    bits = up;
    ++steps;
  }
  EXPECT_EQ(steps, ulp_distance(f, infinity(f, true), infinity(f)));
  EXPECT_EQ(steps, 2 * infinity(f));
}

TEST_P(Ulp, ZerosAreTheSameValueAndNansCompareAsAClass) {
  const Format& f = GetParam();
  EXPECT_EQ(ulp_distance(f, zero(f), zero(f, true)), 0U);
  EXPECT_EQ(next_up(f, zero(f, true)), min_subnormal(f));
  EXPECT_EQ(next_down(f, zero(f)), min_subnormal(f, true));
  EXPECT_EQ(next_up(f, min_subnormal(f, true)), zero(f, true));
  EXPECT_EQ(next_up(f, infinity(f)), infinity(f));
  EXPECT_EQ(next_up(f, infinity(f, true)), max_finite(f, true));
  EXPECT_EQ(ulp_distance(f, quiet_nan(f), quiet_nan(f) + 1), 0U);
  EXPECT_EQ(ulp_distance(f, quiet_nan(f), one(f)), kIncomparable);
  EXPECT_LT(ordered_with_zeros(f, zero(f, true)), ordered_with_zeros(f, zero(f)));
}

INSTANTIATE_TEST_SUITE_P(Formats, Ulp, testing::Values(kFp16, kBf16),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::formats
