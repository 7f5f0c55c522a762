// SPDX-License-Identifier: Apache-2.0
// The functions of two operands against MPFR: every pair of the 8-bit formats, corner values of the
// wide formats, and hard cases of each function. binary_functions_full_test.cpp tests a million
// random pairs each.
#include "reference/soft/binary_functions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/formats/ulp.hpp"
#include "reference/slow/check_binary_functions.hpp"
#include "reference/slow/operands.hpp"
#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft {
namespace {

constexpr const Format& kFp32 = formats::kFp32;

const BinaryFunction& function(std::string_view name) {
  for (const BinaryFunction& row : kBinaryFunctions) {
    if (row.name == name) return row;
  }
  throw std::logic_error("no such function");
}

Bits bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// Checks the operands around an encoding, of both signs.
void expect_around(slow::BinaryChecker& checker, slow::Operands& operands, Bits a, Bits b,
                   int steps) {
  for (int step = -steps; step <= steps; ++step) {
    const Bits beside = (b + static_cast<Bits>(step)) & kFp32.mask();
    checker.expect(a, beside, operands.environment(kFp32));
    checker.expect(a | kFp32.sign_mask(), beside, operands.environment(kFp32));
  }
}

class BinaryFunctions : public testing::TestWithParam<BinaryFunction> {};

TEST_P(BinaryFunctions, OfEveryPairOfAnEightBitFormat) {
  const auto& policies = slow::all_policies();
  for (const Format* f : {&formats::kE4m3fn, &formats::kE5m2, &formats::kE4m3fnuz}) {
    slow::BinaryChecker checker(GetParam(), *f);
    const Bits stride = f == &formats::kE5m2 ? 1 : 5;
    for (Bits a = 0; a <= f->mask(); ++a) {
      for (Bits b = a % stride; b <= f->mask(); b += stride) {
        checker.expect(a, b, policies[(a * 7 + b) % policies.size()]);
      }
    }
  }
}

TEST_P(BinaryFunctions, OfCornersAndRandomPairs) {
  for (const Format* f : {&kFp32, &formats::kFp16, &formats::kBf16, &formats::kTf32}) {
    slow::BinaryChecker checker(GetParam(), *f);
    slow::Operands operands(11);
    const std::vector<Bits> corners = slow::corners(*f);
    for (std::size_t i = 0; i < corners.size(); i += 3) {
      for (std::size_t j = i % 7; j < corners.size(); j += 7) {
        checker.expect(corners[i], corners[j], operands.environment(*f));
      }
    }
    for (int i = 0; i < 6000; ++i) {
      const Bits a = operands.any(*f);
      const Bits b = i % 3 == 0 ? operands.close_to(*f, a) : operands.any(*f);
      checker.expect(a, b, operands.environment(*f));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BinaryFunctions, testing::ValuesIn(kBinaryFunctions),
                         [](const auto& row) { return std::string(row.param.name); });

// Every pair of zeros, infinities, NaN, ones, halves, even and odd integers, the greatest odd
// integer and its neighbours, and the ends of the range.
TEST(Pow, SpecialValuesBesideSpecialValues) {
  const float special[] = {0.0F,      1.0F,      0.5F,    2.0F,           3.0F,       1.5F,
                           4.0F,      0x1p-149F, 0x1p23F, 0x1.8p22F,      16777215.F, 0x1p24F,
                           8388607.F, INFINITY,  NAN,     0x1.fffffep127F};
  for (const char* name : {"pow", "powr", "atan2", "hypot", "fmod", "remainder"}) {
    slow::BinaryChecker checker(function(name), kFp32);
    for (const float x : special) {
      for (const float y : special) {
        for (const auto& env : slow::all_environments()) {
          for (const Bits signs : {0U, 1U, 2U, 3U}) {
            checker.expect(bits_of(x) | (signs & 1) << 31, bits_of(y) | (signs >> 1) << 31, env);
          }
        }
      }
    }
    checker.expect(0x3f800000, 0x7f800001, {});
    checker.expect(0x7f800001, 0, {});
  }
}

// Perfect powers raised to n / 2^k: representable results, midpoints, and one place away from each.
TEST(Pow, RootsAndIntegerPowersThatEnd) {
  slow::BinaryChecker checker(function("pow"), kFp32);
  slow::Operands operands(12);
  std::size_t exact = 0;
  for (int root = 0; root <= 4; ++root) {
    for (int odd = 1; odd < 4096; odd += odd < 64 ? 2 : 62) {
      const double base = std::pow(odd, 1 << root);
      if (base >= 0x1p24) break;
      for (int n = 1; n <= 17; n += 2) {
        const Bits a = bits_of(static_cast<float>(base));
        const Bits b = bits_of(static_cast<float>(std::ldexp(n, -root)));
        exact += (pow(kFp32, a, b).flags & kInexact) == 0 ? 1U : 0U;
        expect_around(checker, operands, a, b, 1);
        expect_around(checker, operands, a - (Bits(root) << 24), b, 0);  // scaled by 2^(-2 root)
        expect_around(checker, operands, a, b | kFp32.sign_mask(), 0);
      }
    }
  }
  EXPECT_LT(300U, exact);
}

// x^2 and x^3 with more bits than fp32 has, midpoints among them: 4097^2 = 2^24 + 2^13 + 1.
TEST(Pow, SmallIntegerPowers) {
  slow::BinaryChecker checker(function("pow"), kFp32);
  slow::Operands operands(13);
  for (int i = 0; i < 4000; ++i) {
    const Bits a = 0x3f800000 + (operands.word() & 0x7fffff);
    const Bits fewer = a & ~((Bits{1} << (i % 24)) - 1);
    for (const float n : {2.0F, 3.0F, 4.0F, 5.0F}) {
      checker.expect(fewer, bits_of(n), operands.environment(kFp32));
    }
  }
}

// y = target / log2 x: where results overflow, turn subnormal, vanish, or barely differ from 1.
TEST(Pow, AtTheBordersOfTheRange) {
  slow::BinaryChecker checker(function("pow"), kFp32);
  slow::Operands operands(14);
  for (int i = 0; i < 700; ++i) {
    Bits a = operands.any(kFp32) & kFp32.magnitude_mask();
    if (i % 3 == 0) a = 0x3f800000 + static_cast<Bits>(i / 3 % 2 == 0 ? i + 1 : -i - 1);
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    if (!std::isfinite(x) || x == 0 || x == 1) continue;
    for (const double target : {128.0, 127.9999999, -126.0, -149.0, -150.0, 0x1p-24, -0x1p-25}) {
      const auto y = static_cast<float>(target / std::log2(static_cast<double>(x)));
      expect_around(checker, operands, a, bits_of(y), 2);
    }
  }
}

TEST(Pow, BasesBesideOneToHugePowers) {
  slow::BinaryChecker checker(function("pow"), kFp32);
  slow::Operands operands(15);
  for (Bits steps = 1; steps <= 40; ++steps) {
    for (int power = 0; power <= 34; ++power) {
      const Bits b = bits_of(std::ldexp(1.0F + static_cast<float>(steps) / 64, power));
      expect_around(checker, operands, 0x3f800000 + steps, b, 1);
      expect_around(checker, operands, 0x3f800000 - steps, b, 1);
    }
  }
}

// Quotients that do and do not terminate, above and below all the thresholds of small angles.
TEST(Atan2, QuotientsOfEverySize) {
  slow::BinaryChecker checker(function("atan2"), kFp32);
  slow::Operands operands(16);
  for (int exponent = -126; exponent <= 127; ++exponent) {
    for (int other = exponent % 5; other <= 120; other += 7) {
      const Bits random = operands.word() & 0x7fffff;
      const Bits y = Bits(exponent + 127) << 23 | random;
      const Bits x = Bits(other + 1) << 23;
      expect_around(checker, operands, y, x, 1);
      expect_around(checker, operands, y & ~Bits{0xfffff}, x | 0x400000, 0);
      expect_around(checker, operands, x, y | kFp32.sign_mask(), 0);
    }
  }
}

TEST(Hypot, TriplesAndTheEndsOfTheRange) {
  slow::BinaryChecker checker(function("hypot"), kFp32);
  slow::Operands operands(17);
  for (int m = 2; m < 60; ++m) {
    for (int n = 1; n < m; ++n) {
      for (const int scale : {0, 100, 116, -140, -149, -160}) {
        const auto a = bits_of(static_cast<float>(std::ldexp(m * m - n * n, scale)));
        const auto b = bits_of(static_cast<float>(std::ldexp(2 * m * n, scale)));
        expect_around(checker, operands, a, b, 1);
      }
    }
  }
  for (int i = 0; i < 20000; ++i) {
    const Bits a = operands.any(kFp32);
    const Bits apart = operands.word() % 45;
    const Bits field = formats::magnitude(kFp32, a) >> 23;
    const Bits b = (operands.word() & 0x7fffff) | (field > apart ? field - apart : 0) << 23;
    checker.expect(a, b & kFp32.mask(), operands.environment(kFp32));
  }
}

// Multiples and half multiples of b, and one place away from them.
TEST(Remainder, MultiplesAndTies) {
  for (const char* name : {"fmod", "remainder"}) {
    slow::BinaryChecker checker(function(name), kFp32);
    slow::Operands operands(18);
    for (int i = 0; i < 8000; ++i) {
      const auto b = static_cast<float>(1 + operands.word() % 4095);
      const auto times = static_cast<float>(operands.word() % 8192) / 2;
      const int scale = static_cast<int>(operands.word() % 270) - 149;
      expect_around(checker, operands, bits_of(std::ldexp(b, scale)),
                    bits_of(std::ldexp(b * times, scale)), 0);
      expect_around(checker, operands, bits_of(std::ldexp(b * times, scale)),
                    bits_of(std::ldexp(b, scale)), 1);
    }
  }
}

// --- the two evaluations -------------------------------------------------------------------------

bool less_or_equal(const detail::Magnitude& a, const detail::Magnitude& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand <= b.significand;
}

void expect_holds(const detail::Bounds& fast, const detail::Bounds& wide, Bits a, Bits b) {
  EXPECT_TRUE(less_or_equal(fast.low, wide.low)) << std::hex << a << ' ' << b;
  EXPECT_TRUE(less_or_equal(wide.high, fast.high)) << std::hex << a << ' ' << b;
  const int apart = fast.high.exponent - fast.low.exponent;
  EXPECT_LE((fast.high.significand << apart) - fast.low.significand, std::uint64_t{1} << 17);
}

TEST(BinaryEvaluations, FastBoundsHoldTheWideOnes) {
  slow::Operands operands(19);
  for (int i = 0; i < 1500; ++i) {
    const Bits a = (operands.word() & 0x7fffff) | (127 - 3 + operands.word() % 6) << 23;
    const Bits b = (operands.word() & 0x807fffff) | (127 - 20 + operands.word() % 26) << 23;
    const Value x = unpack(kFp32, a);
    const Value y = unpack(kFp32, b);
    // Nearer to 1 the fast bounds are those of functions_edges.cpp.
    const double exponent = std::bit_cast<float>(static_cast<std::uint32_t>(b)) *
                            std::log2(std::bit_cast<float>(static_cast<std::uint32_t>(a)));
    if (std::fabs(exponent) < 0x1p-25) continue;
    const int limbs = detail::kPrecisions[0];
    expect_holds(detail::fast_pow(x, y), detail::bounds(detail::wide_pow(x, y, limbs)), a, b);
    expect_holds(detail::fast_atan2(x, y), detail::bounds(detail::wide_atan2(x, y, limbs)), a, b);
  }
}

}  // namespace
}  // namespace halfmark::soft
