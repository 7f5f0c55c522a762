// SPDX-License-Identifier: Apache-2.0
// Numerals: the grammar, and correct rounding against MPFR's reader (four directions, any length)
// and the naive twin (all directions, flags).
#include "reference/soft/numeral.hpp"

#include <gtest/gtest.h>

#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/slow/check.hpp"
#include "reference/slow/mpfr.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;

Bits read(const Format& f, std::string_view text, Rounding rounding = Rounding::kNearEven) {
  const auto numeral = parse_numeral(text);
  EXPECT_TRUE(numeral.has_value()) << text;
  return numeral ? round(f, *numeral, {.rounding = rounding}).bits : ~Bits{0};
}

TEST(Numeral, Spellings) {
  for (const char* text : {"1", "+1", "1.", "01.00", "10e-1", ".1E1", "0.01e+2", "0x1p0", "0X1P+0",
                           "0x.8p1", "0x10p-4", "0x001.000p0"}) {
    EXPECT_EQ(read(kFp16, text), 0x3c00U) << text;
  }
  EXPECT_EQ(read(kFp16, "-0"), 0x8000U);
  EXPECT_EQ(read(kFp16, "-0.000e999999999999999999"), 0x8000U);
  EXPECT_EQ(read(kFp16, "-inf"), 0xfc00U);
  EXPECT_EQ(read(kFp16, "+Infinity"), 0x7c00U);
  EXPECT_EQ(read(kFp16, "NaN"), 0x7e00U);
  EXPECT_EQ(round(kFp16, *parse_numeral("snan"), {}), (Result{0x7e00, kInvalid}));
}

TEST(Numeral, WhatIsNone) {
  for (const char* text : {"",   "+",   "-",     ".",    "e5",    "1e",      "1e+",   "1.2.3",
                           "0x", "0x1", "0x1.8", "0xp3", "0x1p",  "3c00",    "1e5x",  " 1",
                           "1 ", "--1", "nano",  "in",   "1e5.5", "0x1p0x1", "1_000", "\xff"}) {
    EXPECT_FALSE(parse_numeral(text).has_value()) << text;
  }
}

TEST(Numeral, EveryDirection) {
  EXPECT_EQ(read(kFp16, "0.1", Rounding::kNearEven), 0x2e66U);
  EXPECT_EQ(read(kFp16, "0.1", Rounding::kUp), 0x2e67U);
  EXPECT_EQ(read(kFp16, "-0.1", Rounding::kUp), 0xae66U);
  EXPECT_EQ(read(kFp16, "2049", Rounding::kNearEven), 0x6800U);
  EXPECT_EQ(read(kFp16, "2049", Rounding::kNearAway), 0x6801U);
  EXPECT_EQ(read(kFp16, "65520", Rounding::kNearEven), 0x7c00U);
  EXPECT_EQ(read(kFp16, "65519.99999999999999999999", Rounding::kNearEven), 0x7bffU);
  EXPECT_EQ(read(kFp16, "1e400000000000", Rounding::kTowardZero), 0x7bffU);
  EXPECT_EQ(read(kFp16, "1e-400000000000", Rounding::kUp), 0x0001U);
  EXPECT_EQ(read(kFp64, "0x1.00000000000008p0"), 0x3ff0000000000000U);
  EXPECT_EQ(read(kFp64, "0x1.000000000000080000000000000000000001p0"), 0x3ff0000000000001U);
}

TEST(Numeral, ADigitFarBehindDecidesAMidpoint) {
  const std::string midpoint = "2049" + std::string(1, '.') + std::string(100'000, '0');
  EXPECT_EQ(read(kFp16, midpoint), 0x6800U);
  EXPECT_EQ(read(kFp16, midpoint + "1"), 0x6801U);
  EXPECT_EQ(read(kFp16, midpoint + "1", Rounding::kNearAway), 0x6801U);
  EXPECT_EQ(read(kFp16, "2048." + std::string(100'000, '9')), 0x6800U);
  EXPECT_EQ(read(kFp16, "0x801." + std::string(100'000, '0') + "1p0"), 0x6801U);
}

// The exact decimal of a value or of a midpoint between neighbours, with its last digit changed or
// a digit added far to the right.
std::string telling_numeral(slow::Operands& operands, const Format& f) {
  const Bits bits = operands.any(f);
  if (!formats::is_finite(f, bits)) return "1e" + std::to_string(operands.word() % 800) + "7";
  ExactNumber x = exact_number(f, bits);
  const std::uint64_t choice = operands.word();
  const Bits next = formats::next_up(f, bits);
  if ((choice & 1) != 0 && formats::is_finite(f, next)) {
    x = (x + exact_number(f, next)) * power_of_two(-1);
  }
  std::string text = decimal(x, 2000);
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  if (text.find('e') != std::string::npos) return text;
  if ((choice & 6) == 2) text += std::string(choice >> 8 & 31, '0') + "1";
  if ((choice & 6) == 4) text.resize(text.size() - 1 - (choice >> 8 & 3) % text.size());
  return text.find_first_of("0123456789") == std::string::npos ? "0" : text;
}

std::string random_numeral(slow::Operands& operands) {
  std::string text = operands.word() % 2 != 0 ? "-" : "";
  const bool hex = operands.word() % 4 == 0;
  if (hex) text += "0x";
  const std::uint64_t count = 1 + operands.word() % 40;
  const std::uint64_t point = operands.word() % 41;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == point) text += ".";
    text += "0123456789abcdef"[operands.word() % (hex ? 16 : 10)];
  }
  const auto exponent = static_cast<int>(operands.word() % 101) - 50;
  return text + (hex ? "p" : "e") + std::to_string(exponent * (operands.word() % 8 == 0 ? 7 : 1));
}

TEST(Numeral, AgreesWithMpfr) {
  slow::Operands operands(20);
  std::uint64_t checked = 0;
  for (const Format& f : formats::all_formats()) {
    if (!f.has_infinity()) continue;
    for (int i = 0; i < 2500; ++i) {
      const std::string text = i % 2 == 0 ? telling_numeral(operands, f) : random_numeral(operands);
      for (const auto& rounding : kRoundings) {
        if (!slow::mpfr::offers(rounding.value)) continue;
        ++checked;
        ASSERT_EQ(slow::mpfr::parse_numeral(f, text.c_str(), rounding.value),
                  read(f, text, rounding.value))
            << f.name << ' ' << rounding.name << ' ' << text;
      }
    }
  }
  EXPECT_GT(checked, 50'000U);
}

// The twin's exact number for "DIGITSe-PLACES".
slow::Exact twin_of(bool negative, std::uint64_t digits, int places) {
  slow::Exact x{.negative = negative, .numerator = slow::Natural(digits)};
  for (int i = 0; i < places; ++i) x.denominator = x.denominator * slow::Natural(10);
  return x;
}

TEST(Numeral, AgreesWithTheTwinOnFlagsAndTiesAway) {
  slow::Operands operands(21);
  slow::Checker checker("numeral");
  for (const Format& f : {kFp16, kBf16, formats::kTf32, kFp32, kFp64, formats::kE5m2}) {
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t digits = (operands.word() >> operands.word() % 62) | 1;
      const auto places = static_cast<int>(operands.word() % 62);
      const bool negative = operands.word() % 2 != 0;
      const std::string text =
          (negative ? "-" : "") + std::to_string(digits) + "e-" + std::to_string(places);
      const Environment& env = operands.environment();
      checker.expect(slow::round_exact(f, twin_of(negative, digits, places), env),
                     round(f, *parse_numeral(text), env), f, env,
                     {digits, static_cast<Bits>(places)});
    }
  }
}

TEST(Numeral, DecimalTextComesBack) {
  slow::Operands operands(22);
  for (const Format& f : formats::all_formats()) {
    for (int i = 0; i < 500; ++i) {
      const Bits bits = operands.any(f) & f.mask();
      if (!formats::is_finite(f, bits)) continue;
      ASSERT_EQ(bits, read(f, formats::decimal(f, bits))) << f.name << formats::decimal(f, bits);
      ASSERT_EQ(bits, read(f, formats::hex_float(f, bits)));
      ASSERT_EQ(bits, read(f, decimal(exact_number(f, bits), 2000)));
      ASSERT_EQ(0U, round(f, *parse_numeral(formats::hex_float(f, bits)), {}).flags);
    }
  }
}

}  // namespace
}  // namespace halfmark::soft
