// SPDX-License-Identifier: Apache-2.0
// The farthest encoding within a bound is allowed, and the next one is not: next to a power of two,
// where encodings on both sides lie differently close, and where the value itself is a number.
#include "reference/operators/ulp_range.hpp"

#include <gtest/gtest.h>

#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;

UlpRange quotient(const Format& f, Bits a, Bits b, Ulps ulps, bool exact_number = false) {
  const auto function = [&](const Format& g, const soft::Environment& environment) {
    return soft::div(g, soft::convert(f, g, a).bits, soft::convert(f, g, b).bits, environment);
  };
  return ulp_range(f, function, {.ulps = ulps, .exact_number = exact_number});
}

UlpRange root(const Format& f, Bits a, Ulps ulps) {
  const auto function = [&](const Format& g, const soft::Environment& environment) {
    return soft::sqrt(g, soft::convert(f, g, a).bits, environment);
  };
  return ulp_range(f, function, {.ulps = ulps});
}

void expect_range(Bits low, Bits high, const UlpRange& actual) {
  EXPECT_EQ(low, actual.low) << std::hex << low << ' ' << actual.low;
  EXPECT_EQ(high, actual.high) << std::hex << high << ' ' << actual.high;
}

constexpr Ulps kQuotient = Ulps::and_a_half(2);

// A ULP above 1 is two encodings below it.
TEST(UlpRange, ReachesFartherBelowAPowerOfTwo) {
  expect_range(0x3f7ffffd, 0x3f800003, quotient(kFp32, 0x3f800001, 0x3f800000, kQuotient));
  expect_range(0x3f7ffffb, 0x3f800003, root(kFp32, 0x3f800001, 3));
}

// And a ULP below 1 is half an encoding above it.
TEST(UlpRange, ReachesLessFarAboveAPowerOfTwo) {
  expect_range(0x3f7ffffd, 0x3f800000, quotient(kFp32, 0x3f7fffff, 0x3f800000, kQuotient));
}

TEST(UlpRange, OfHalves) {
  expect_range(0x3555, 0x3556, quotient(kFp16, 0x3c00, 0x4200, 1));  // 1/3 = 0x3555.33
  expect_range(0x3c00 - 2, 0x3c01, quotient(kFp16, 0x3c00, 0x3c00, 1));
  expect_range(0x3da7, 0x3da9, root(kFp16, 0x4000, Ulps::and_a_half(1)));  // 0x3da8.15
}

TEST(UlpRange, ANumberMayBeExact) {
  expect_range(0, 0, quotient(kFp32, 0, 0x40400000, kQuotient, true));
  expect_range(0x80000002, 2, quotient(kFp32, 0, 0x40400000, kQuotient));
  expect_range(0x7f800000, 0x7f800000, quotient(kFp32, 0x3f800000, 0, kQuotient));
}

TEST(UlpRange, OfADeviceThatFlushesHoldsZerosOfEitherSignForSubnormals) {
  const Bits least = 0x00800000;
  const auto holds = [](Bits low, Bits high, Bits result) {
    return is_within_or_flushed(kFp32, {low, high}, result);
  };
  EXPECT_TRUE(holds(least - 1, least + 1, least + 1));
  EXPECT_FALSE(holds(least - 1, least + 1, least - 2));
  EXPECT_TRUE(holds(least - 1, least + 1, 0));
  EXPECT_TRUE(holds(least - 1, least + 1, 0x80000000)) << "the sign of a flushed zero is open";
  EXPECT_TRUE(holds(0x80800001, 0x807fffff, 0));
  EXPECT_FALSE(holds(least, least + 2, 0)) << "nothing there is subnormal";
  const Bits nan = formats::quiet_nan(kFp32);
  EXPECT_TRUE(holds(nan, nan, nan | 1));
  EXPECT_FALSE(holds(nan, nan, 0));
  EXPECT_FALSE(holds(least - 1, least + 1, nan));
  EXPECT_EQ((std::vector<Bits>{3, 0, 0x80000000}), readings(kFp32, 3));
  EXPECT_EQ((std::vector<Bits>{least}), readings(kFp32, least));
}

}  // namespace
}  // namespace halfmark::operators
