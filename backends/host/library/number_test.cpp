// SPDX-License-Identifier: Apache-2.0
// Tests the library's own conversions against the reference, which shares no code with them.
#include "backends/host/library/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::backends::host::library {
namespace {

// Tests formats with a sign and a zero that are narrower than a double.
bool is_taken(const Format& f) { return f.has_sign && f.has_zero && f.bits < 64; }

soft::Environment environment(const Storing& storing) {
  soft::Environment env;
  env.rounding = storing.rounding == Rounding::kTowardZero    ? soft::Rounding::kTowardZero
                 : storing.rounding == Rounding::kNearestAway ? soft::Rounding::kNearAway
                                                              : soft::Rounding::kNearEven;
  if (storing.saturates) env.overflow = soft::Overflow::kSaturate;
  if (storing.flushes) env.subnormals = soft::Subnormals::kFlushOut;
  return env;
}

void expect_encoded(const Format& f, double value, const Storing& storing) {
  const Bits word = std::bit_cast<Bits>(value);
  const Bits expected = soft::convert(formats::kFp64, f, word, environment(storing)).bits;
  const Bits actual = encode(f, value, storing);
  if (formats::is_nan(f, expected)) {
    EXPECT_TRUE(formats::is_nan(f, actual)) << f.name << " " << value;
  } else {
    EXPECT_EQ(expected, actual) << f.name << " " << std::hexfloat << value;
  }
}

TEST(Number, EveryEncodingOfNarrowFormatsIsADoubleAndComesBack) {
  for (const Format& f : formats::all_formats()) {
    if (!is_taken(f) || f.bits > 19) continue;
    for (Bits bits = 0; bits <= f.mask(); ++bits) {
      const Bits wide = soft::convert(f, formats::kFp64, bits).bits;
      const double value = decode(f, bits);
      if (formats::is_nan(f, bits)) {
        EXPECT_TRUE(std::isnan(value)) << f.name << " " << bits;
        EXPECT_TRUE(formats::is_nan(f, encode(f, value))) << f.name;
      } else {
        ASSERT_EQ(wide, std::bit_cast<Bits>(value)) << f.name << " " << bits;
        ASSERT_EQ(bits, encode(f, value)) << f.name;
      }
    }
  }
}

// Tests around every number and every midpoint, for the formats of 16 bits and fewer.
TEST(Number, RoundsLikeTheReference) {
  const Storing storings[] = {{},
                              {.rounding = Rounding::kTowardZero},
                              {.rounding = Rounding::kNearestAway},
                              {.saturates = true},
                              {.flushes = true}};
  for (const Format& f : formats::all_formats()) {
    if (!is_taken(f) || f.bits > 16) continue;
    const Bits step = f.bits > 8 ? 7 : 1;
    for (Bits bits = 0; bits < f.magnitude_mask(); bits += step) {
      const double low = decode(f, bits);
      const double high = decode(f, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      for (const double value : {low, middle, std::nextafter(middle, low),
                                 std::nextafter(middle, high), std::nextafter(low, high)}) {
        for (const Storing& storing : storings) {
          expect_encoded(f, value, storing);
          expect_encoded(f, -value, storing);
        }
      }
    }
    for (const double value : {1e300, -1e300, double{INFINITY}, -double{INFINITY}, double{NAN}}) {
      for (const Storing& storing : storings) expect_encoded(f, value, storing);
    }
  }
}

TEST(Number, Fp32AndTf32RoundLikeTheReference) {
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const Bits exponent = 1023 - 160 + (state >> 40) % 300;
    const double value = std::bit_cast<double>(exponent << 52 | state >> 12);
    for (const Format* f : {&formats::kFp32, &formats::kTf32}) {
      expect_encoded(*f, value, {});
      expect_encoded(*f, -value, {.rounding = Rounding::kTowardZero});
      expect_encoded(*f, value, {.flushes = true});
    }
  }
}

TEST(Number, SumsToOddRoundOnceAfterwards) {
  // 1 + 2^-11 is the midpoint of two fp16 numbers; 2^-60 more lies above it, which round to
  // nearest loses.
  EXPECT_EQ(1.0, rounded(formats::kFp16, (1 + 0x1p-11) + 0x1p-60));
  EXPECT_EQ(1 + 0x1p-10, rounded(formats::kFp16, sum_to_odd(1 + 0x1p-11, 0x1p-60)));
  EXPECT_EQ(1.0, rounded(formats::kFp16, sum_to_odd(1 + 0x1p-11, -0x1p-60)));
  EXPECT_EQ(3.0, sum_to_odd(1, 2));
  EXPECT_TRUE(std::isnan(sum_to_odd(INFINITY, -INFINITY)));
}

TEST(Number, WhatFaultsChange) {
  EXPECT_EQ(0u, encode(formats::kFp16, -0.0, {.loses_zero_sign = true}));
  EXPECT_EQ(0x8000u, encode(formats::kFp16, -0.0));
  EXPECT_EQ(0x8000u, encode(formats::kFp16, -0x1p-20, {.flushes = true}));
  EXPECT_EQ(0x7bffu, encode(formats::kFp16, INFINITY, {.saturates = true}));
  EXPECT_NE(encode(formats::kFp16, NAN), encode(formats::kFp16, NAN, {.other_nan = true}));
  EXPECT_TRUE(std::isnan(decode(formats::kFp16, encode(formats::kFp16, NAN, {.other_nan = true}))));
}

}  // namespace
}  // namespace halfmark::backends::host::library
