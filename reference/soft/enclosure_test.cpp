// SPDX-License-Identifier: Apache-2.0
// Outward rounding in hand-made examples, and the constants compared with their published digits.
#include "reference/soft/enclosure.hpp"

#include <gtest/gtest.h>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kLimbs = 4;
constexpr Wide wide(std::uint64_t high, std::uint64_t low) { return Wide{high} << 64 | low; }

Enclosure number(std::uint64_t integer, int place = 0) { return {kLimbs, integer, place}; }

// Expects that both ends are that number.
void expect_exactly(std::uint64_t integer, int place, const Enclosure& actual) {
  const Leading expected = number(integer, place).low();
  for (const Leading& end : {actual.low(), actual.high()}) {
    EXPECT_EQ(expected.exponent, end.exponent);
    EXPECT_EQ(expected.significand, end.significand);
    EXPECT_FALSE(end.rest);
  }
}

// Expects a low end below one and a high end of one or more.
void expect_around_one(const Enclosure& actual) {
  EXPECT_EQ(0U, actual.low_floor());
  EXPECT_EQ(-1, actual.low().exponent);
  EXPECT_EQ(1U, actual.high_floor());
}

TEST(Enclosure, WhatFitsIsExact) {
  expect_exactly(15, -2, number(5, -1) * number(3, -1));
  expect_exactly(7, 0, number(21).divided_by(3));
  expect_exactly(3, -7, number(3, 60).shifted(-67));
  expect_exactly(5, -3, number(5, -5) / number(1, -2));
  expect_exactly(3, 40, number(9, 80).root());
  expect_exactly(1, -256, number(3, -256) - number(1, -255));
}

TEST(Enclosure, WhatDoesNotFitIsRoundedOutward) {
  expect_around_one(number(1).divided_by(3).times(3));
  expect_around_one(number(1) / number(3) * number(3));
  expect_around_one(number(1, -1).root() * number(2).root());
  const Enclosure lost = number(1, -300);
  EXPECT_EQ(0U, lost.low().significand);
  EXPECT_TRUE(lost.is_last_place());
  EXPECT_EQ(-256, lost.high().exponent);
  EXPECT_EQ(-256, number(1).shifted(-257).high().exponent);
}

TEST(Enclosure, OfADifferenceIsNotNegative) {
  const Enclosure third = number(1).divided_by(3);
  EXPECT_EQ(0U, (third - third).low().significand);
  EXPECT_EQ(-256, (third - third).high().exponent);
}

TEST(Enclosure, WideningMovesTheHighEnd) {
  const Enclosure widened = number(1).widened(number(1, -3));
  EXPECT_FALSE(widened.low().rest);
  EXPECT_EQ(std::uint64_t{1} << 62, widened.low().significand);
  EXPECT_EQ(std::uint64_t{9} << 59, widened.high().significand);
}

TEST(Enclosure, TellsWhatTheLeadingBitsLeaveOut) {
  EXPECT_TRUE((number(1) + number(1, -63)).low().rest);
  EXPECT_FALSE((number(1) + number(1, -62)).low().rest);
}

TEST(Constants, HaveTheirPublishedDigits) {
  for (const int limbs : detail::kPrecisions) {
    const detail::Constants& known = detail::constants(limbs);
    EXPECT_EQ(wide(0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af), known.ln2.low_scaled(128));
    EXPECT_EQ(wide(0xb8aa3b295c17f0bb, 0xbe87fed0691d3e88), known.log2e.low_scaled(127));
    EXPECT_EQ(wide(0x906eba8214db688d, 0x71d48a7f6bfec344), known.two_over_root_pi.low_scaled(127));
    EXPECT_EQ(wide(0xb504f333f9de6484, 0x597d89b3754abe9f), known.root_half.low_scaled(128));
    EXPECT_EQ(wide(0xcc42299ea1b28468, 0x7e59e2805d5c717f), known.gelu_slope.low_scaled(127));
  }
}

TEST(Enclosure, TheFractionIsWhatIsLeftOfTheInteger) {
  const Enclosure third = Enclosure(4, 22).divided_by(3).fraction();  // 7 + 1/3
  EXPECT_EQ(third.low_floor(), 0u);
  EXPECT_EQ(third.high_floor(), 0u);
  EXPECT_EQ(third.times(3).high_floor(), 1u);
  EXPECT_EQ(third.low().significand, Enclosure(4, 1).divided_by(3).low().significand);
  EXPECT_DEATH(static_cast<void>(Enclosure(4, 22).divided_by(3).times(3).fraction()), "")
      << "21.9... and 22";
}

}  // namespace
}  // namespace halfmark::soft
