// SPDX-License-Identifier: Apache-2.0
#include "fleet/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace halfmark::fleet {
namespace {

TEST(Statistics, MedianAndSpread) {
  EXPECT_EQ(3, median({5, 1, 3}));
  EXPECT_EQ(2.5, median({4, 1, 2, 3}));
  EXPECT_EQ(7, median({7}));
  // Deviations from 3: 2 1 0 1 97; half of the values may be anything.
  EXPECT_DOUBLE_EQ(1.4826, robust_spread({1, 2, 3, 4, 100}, 3));
}

// Tables of Student's t: P(T > 2.228) = 0.025 with 10, P(T > 3.169) = 0.005 with 10, and with one
// degree of freedom the tail is that of the arctangent.
TEST(Statistics, StudentTail) {
  EXPECT_NEAR(0.025, student_tail(2.228139, 10), 1e-7);
  EXPECT_NEAR(0.005, student_tail(3.169273, 10), 1e-8);
  EXPECT_NEAR(0.5 - std::atan(5.0) / M_PI, student_tail(5, 1), 1e-12);
  EXPECT_NEAR(0.5, student_tail(0, 7), 1e-12);
  EXPECT_NEAR(2.228139, student_cut(0.025, 10), 1e-5);
}

// With many members, the normal quantiles for 0.01 expected false flags.
TEST(Statistics, CutsGrowWithTheFleet) {
  EXPECT_NEAR(3.02, outlier_cut(100'000'000, 8), 0.005);
  EXPECT_NEAR(4.26, outlier_cut(100'000'000, 1000), 0.005);
  EXPECT_NEAR(5.20, outlier_cut(100'000'000, 100'000), 0.005);
  EXPECT_NEAR(5.88, outlier_cut(100'000'000, 5'000'000), 0.005);
  EXPECT_LT(outlier_cut(1000, 1000), outlier_cut(1000, 2000));
  // A small group knows little about its spread.
  EXPECT_GT(outlier_cut(16, 16), 5);
  EXPECT_LT(outlier_cut(1000, 16), 3.4);
}

TEST(Statistics, RuleOfThree) {
  EXPECT_EQ(1, rule_of_three(0));
  EXPECT_EQ(1, rule_of_three(2));
  EXPECT_EQ(1, rule_of_three(3));
  EXPECT_DOUBLE_EQ(3e-4, rule_of_three(10'000));
}

}  // namespace
}  // namespace halfmark::fleet
