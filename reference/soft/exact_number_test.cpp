// SPDX-License-Identifier: Apache-2.0
#include "reference/soft/exact_number.hpp"

#include <gtest/gtest.h>

#include "reference/slow/operands.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::soft {
namespace {

using formats::kFp16;
using formats::kFp32;

TEST(BigNatural, LawsOfArithmetic) {
  slow::Operands operands(30);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::uint32_t>(operands.word() % limit);
  };
  for (int i = 0; i < 300; ++i) {
    const BigNatural a = power(1 + below(1000), below(40));
    const BigNatural b = BigNatural(operands.word()) * power(7, below(20));
    const BigNatural c(1 + below(100'000));
    EXPECT_EQ(0, compare((a + b) * c, a * c + b * c));
    EXPECT_EQ(0, compare(a + b - b, a));
    const Division division = divide(a, c);
    EXPECT_EQ(0, compare(division.quotient * c + division.remainder, a));
    EXPECT_LT(compare(division.remainder, c), 0);
    const std::int64_t places = below(100);
    EXPECT_EQ(0, compare(a.shifted_left(places).shifted_right(places), a));
    EXPECT_EQ(0, compare(a.shifted_left(places), a * power(2, places)));
    const BigNatural root = integer_root(a);
    EXPECT_LE(compare(root * root, a), 0);
    EXPECT_GT(compare((root + BigNatural(1)) * (root + BigNatural(1)), a), 0);
  }
}

TEST(BigNatural, Decimal) {
  EXPECT_EQ(BigNatural().decimal(), "0");
  EXPECT_EQ(BigNatural(1'000'000'000).decimal(), "1000000000");
  EXPECT_EQ(power(10, 30).decimal(), "1" + std::string(30, '0'));
  EXPECT_EQ(power(2, 100).decimal(), "1267650600228229401496703205376");
  EXPECT_EQ(power(2, 100).trailing_zeros(), 100);
  EXPECT_EQ(power(2, 100).bit_length(), 101);
}

TEST(ExactNumber, DecimalText) {
  const auto ratio = [](std::uint64_t n, std::uint64_t d, std::int64_t exponent = 0) {
    return decimal({.numerator = BigNatural(n), .denominator = BigNatural(d), .exponent = exponent},
                   20);
  };
  EXPECT_EQ(ratio(0, 1), "0");
  EXPECT_EQ(ratio(1, 10), "0.1");
  EXPECT_EQ(ratio(3, 30), "0.1");
  EXPECT_EQ(ratio(1, 3), "0.33333333333333333333...");
  EXPECT_EQ(ratio(2, 3, 2), "2.6666666666666666666...");
  EXPECT_EQ(ratio(1, 7, 100), "1.8109294288974705735...e+29");
  EXPECT_EQ(ratio(1, 1, -30), "9.3132257461547851562...e-10");
  EXPECT_EQ(ratio(1, 1, -100), "7.8886090522101180541...e-31");
  EXPECT_EQ(ratio(65504, 1), "65504");
  EXPECT_EQ(ratio(1, 1, 60), "1152921504606846976");
  EXPECT_EQ(ratio(1, 1, 69), "5.9029581035870565171...e+20") << "21 digits, one too many";
  EXPECT_EQ(ratio(1, 64), "0.015625");
  EXPECT_EQ(ratio(625, 25, 3), "200");
}

TEST(ExactNumber, HexFloatText) {
  EXPECT_EQ(hex_float(exact_number(kFp16, 0x3e00)), "0x1.8p+0");
  EXPECT_EQ(hex_float(exact_number(kFp16, 0x8001)), "-0x1p-24");
  EXPECT_EQ(hex_float(power_of_two(0) / exact_number(kFp16, 0x4200)), "0x1.5555555555555555...p-2");
}

// Exact operations followed by rounding give what the soft-float operations give.
TEST(ExactNumber, RoundsToWhatTheOperationsGive) {
  slow::Operands operands(31);
  for (int i = 0; i < 6'000; ++i) {
    const Format& f = i % 2 == 0 ? kFp16 : kFp32;
    const Bits a = operands.any(f);
    const Bits b = operands.any(f);
    const Environment env{.rounding = operands.environment().rounding};
    if (!formats::is_finite(f, a) || !formats::is_finite(f, b)) continue;
    const ExactNumber x = exact_number(f, a);
    const ExactNumber y = exact_number(f, b);
    EXPECT_EQ(mul(f, a, b, f, env), round(f, x * y, env));
    if (!(x + y).is_zero()) {
      EXPECT_EQ(add(f, a, b, env), round(f, x + y, env));
    }
    if (!y.is_zero()) {
      EXPECT_EQ(div(f, a, b, env), round(f, x / y, env));
    }
    EXPECT_EQ(lt(f, a, b).bits != 0, compare(x, y) < 0);
    if (!x.negative) {
      const Root root = square_root(x, 200);
      const Result result = sqrt(f, a, env);
      EXPECT_EQ(result.bits, round(f, root.value, env).bits);
      EXPECT_EQ(result.flags == 0, root.exact && round(f, root.value, env).flags == 0);
    }
  }
}

}  // namespace
}  // namespace halfmark::soft
