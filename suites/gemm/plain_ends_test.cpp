// SPDX-License-Identifier: Apache-2.0
// Ends that fp64 decides are those of exact sums, for numbers of all sizes; those that it cannot
// decide are left.
#include "suites/gemm/plain_ends.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "reference/formats/classify.hpp"
#include "reference/models/exact_sum.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::kFp64;

Bits end(const formats::Format& to, double exact, double size, float gamma, double lost,
         double sign) {
  models::ExactSum sum;
  sum.add(kFp64, std::bit_cast<Bits>(exact));
  sum.add_product(kFp32, std::bit_cast<std::uint32_t>(static_cast<float>(sign * gamma)), kFp64,
                  std::bit_cast<Bits>(size));
  sum.add(kFp64, std::bit_cast<Bits>(sign * lost));
  return sum.round(to).bits;
}

TEST(PlainEnds, AreThoseOfExactSums) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> exponent(-170, 120);
  for (const formats::Format* to : {&kFp32, &formats::kFp16, &formats::kBf16}) {
    int decided = 0;
    for (int i = 0; i < 20'000; ++i) {
      const double exact = std::ldexp(unit(random), exponent(random));
      const double size = std::fabs(exact) * (1 + 8 * std::fabs(unit(random)));
      const auto gamma = static_cast<float>(std::ldexp(1 + unit(random) / 2, -12));
      const double lost = std::ldexp(64, -125);
      const auto ends = plain_ends(*to, exact, size, 0, static_cast<double>(gamma), lost);
      if (!ends) continue;
      ++decided;
      ASSERT_EQ(end(*to, exact, size, gamma, lost, -1), ends->low) << exact << ' ' << size;
      ASSERT_EQ(end(*to, exact, size, gamma, lost, 1), ends->high) << exact << ' ' << size;
    }
    EXPECT_GT(decided, 19'900) << to->name;
  }
}

// 1 + 2^-24 is a tie in fp32, and fp64 does not see the spread of 2^-80 that breaks it.
TEST(PlainEnds, AreLeftWhereFp64CannotDecide) {
  EXPECT_FALSE(plain_ends(kFp32, 1 + 0x1p-24, 1, 0, 0, 0x1p-80));
  EXPECT_TRUE(plain_ends(kFp32, 1 + 0x1p-25, 1, 0, 0, 0x1p-80));
  EXPECT_FALSE(plain_ends(kFp32, 0x1.fffffep127, 1, 0, 0, 0));
  EXPECT_FALSE(plain_ends(kFp32, NAN, 1, 0, 0, 0));
}

// With a sum that is off by as much as it may be.
TEST(PlainEnds, AllowForTheErrorOfTheSum) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(-1, 1);
  int decided = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double exact = unit(random);
    const double error = 0x1p-32;
    const double size = 1 + unit(random) / 2;
    const double seen = exact + unit(random) * error * size;
    const double seen_size = size * (1 + unit(random) * error / 2);
    const auto ends = plain_ends(kFp32, seen, seen_size, error, 0x1p-12, 0x1p-120);
    if (!ends) continue;
    ++decided;
    ASSERT_EQ(end(kFp32, exact, size, 0x1p-12F, 0x1p-120, -1), ends->low) << exact;
    ASSERT_EQ(end(kFp32, exact, size, 0x1p-12F, 0x1p-120, 1), ends->high) << exact;
  }
  EXPECT_GT(decided, 90'000);
}

}  // namespace
}  // namespace halfmark::suites::gemm
