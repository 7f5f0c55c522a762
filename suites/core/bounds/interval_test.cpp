// SPDX-License-Identifier: Apache-2.0
// Values of encodings, and encodings of values, are those of the soft-float; enclosures of them do
// not depend on the state of the thread.
#include "suites/core/bounds/interval.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/fast/floating_point.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp64;

// Expects one conversion in both directions, NaN as a class.
void expect_as_soft(const Format& format, Bits bits) {
  const Bits value = soft::convert(format, kFp64, bits).bits;
  const auto got = std::bit_cast<Bits>(value_of(format, bits));
  if (formats::is_nan(kFp64, value)) {
    EXPECT_TRUE(formats::is_nan(kFp64, got)) << format.name << " " << bits;
  } else {
    EXPECT_EQ(value, got) << format.name << " " << bits;
  }
}

void expect_nearest_as_soft(const Format& format, Bits number) {
  const Bits rounded = soft::convert(kFp64, format, number).bits;
  const Bits got = nearest(format, std::bit_cast<double>(number));
  if (formats::is_nan(format, rounded)) {
    EXPECT_TRUE(formats::is_nan(format, got)) << format.name << " " << number;
  } else {
    EXPECT_EQ(rounded, got) << format.name << " " << number;
  }
}

TEST(Interval, EveryNarrowEncodingHasItsValue) {
  for (const Format& format : formats::all_formats()) {
    if (format.bits > 19) continue;
    for (Bits bits = 0; bits <= format.mask(); ++bits) expect_as_soft(format, bits);
  }
}

TEST(Interval, WideEncodingsHaveTheirValues) {
  const Random random(7);
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    expect_as_soft(formats::kFp32, random.at(i) >> 32);
    expect_as_soft(kFp64, random.at(i));
  }
}

// Every number, the halfway points above and below it, and the doubles next to those.
TEST(Interval, TiesOfEveryNarrowFormatAreRoundedToEven) {
  for (const Format& format : formats::all_formats()) {
    if (format.bits > 16) continue;
    for (Bits bits = 0; bits <= format.mask(); ++bits) {
      const Bits number = soft::convert(format, kFp64, bits).bits;
      const Bits half = Bits{1} << (kFp64.fraction_bits - format.fraction_bits - 1);
      for (const Bits apart : {Bits{0}, half, half - 1, half + 1, Bits{1}}) {
        expect_nearest_as_soft(format, number + apart);
        expect_nearest_as_soft(format, number - apart);
      }
    }
  }
}

TEST(Interval, NumbersAreRoundedToFp32AsBySoftFloat) {
  const Random random(8);
  for (std::uint64_t i = 0; i < 400'000; ++i) {
    const Bits word = random.at(i);
    // Exponents of fp32's range and a little more; every fourth at a tie or next to one.
    const Bits field = 1023 - 160 + (word >> 40) % 320;
    const Bits fraction = i % 4 == 0 ? (word << 29 | Bits{1} << 28) + i % 3 - 1 : word;
    expect_nearest_as_soft(formats::kFp32, (word & kFp64.sign_mask()) | field << 52 |
                                               (fraction & kFp64.fraction_mask()));
    expect_nearest_as_soft(kFp64, word);
  }
}

// Of a zero, its sign; of an unbounded interval, its lower end.
TEST(Interval, HasAMiddle) {
  EXPECT_EQ(2.5, (Interval{2, 3}).middle());
  EXPECT_TRUE(std::signbit((Interval{-0.0, -0.0}).middle()));
  EXPECT_EQ(1, (Interval{1, HUGE_VAL}).middle());
  EXPECT_TRUE(std::isnan((Interval{NAN, NAN}).middle()));
}

// A thread of a driver may round in another direction.
TEST(EnclosureOf, DoesNotDependOnTheStateOfTheThread) {
  const auto third = [](std::size_t i) { return around(static_cast<double>(i + 1) / 3, 0x1p-60); };
  const Enclosure expected = enclosure_of("y", kFp64, 64, third);
  const std::uint64_t before = fast::floating_point_control();
  Enclosure actual;
  {
    const fast::FloatingPointScope hostile(fast::Direction::kTowardZero);
    actual = enclosure_of("y", kFp64, 64, third);
  }
  EXPECT_EQ(before, fast::floating_point_control());
  EXPECT_EQ(expected.low.at("y"), actual.low.at("y"));
  EXPECT_EQ(expected.high.at("y"), actual.high.at("y"));
}

}  // namespace
}  // namespace halfmark::suites
