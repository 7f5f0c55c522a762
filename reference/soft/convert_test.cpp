// SPDX-License-Identifier: Apache-2.0
// Conversions, rounding to integers and scaling against the naive twin: corner values, weighted
// random encodings, and the midpoints that a narrowing conversion can get wrong.
// convert_exhaustive_test.cpp covers the rest.
#include "reference/soft/convert.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 60000;

class Convert : public testing::TestWithParam<Format> {};

TEST_P(Convert, CornersAndRandomEncodings) {
  const Format& f = GetParam();
  slow::Checker rint("rint");
  slow::Checker convert("convert from " + std::string(f.name));
  const auto check = [&](const Format& to, Bits a, const Environment& env) {
    convert.expect(slow::convert(f, to, a, env), soft::convert(f, to, a, env), to, env, {a});
  };
  const auto& environments = slow::all_policies();
  std::size_t turn = 0;
  for (const Bits a : slow::corners(f)) {
    for (const Environment& env : environments) {
      rint.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
    }
    for (int i = 0; i < 4 * 13; ++i) {
      check(formats::kFormats[turn % formats::kFormats.size()], a, environments[turn / 13 % 40]);
      ++turn;
    }
  }
  slow::Operands operands(7);
  for (int i = 0; i < kRandom; ++i) {
    const Bits a = operands.any(f);
    const Format& to = formats::kFormats[operands.word() % formats::kFormats.size()];
    check(to, a, operands.environment(to));
    const Environment env = operands.environment(f);
    rint.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
  }
}

// What a conversion to a narrow format can get wrong: midpoints of its neighbours, and the
// neighbours of those in the wide format, from below the smallest number to beyond the largest.
void check_between(const Format& wide, const Format& f, Bits low, Bits high, slow::Checker& checker,
                   std::size_t turn) {
  const Bits sign = f.has_sign && turn % 2 != 0 ? wide.sign_mask() : 0;
  const Bits middle = low == 0 ? soft::ldexp(wide, high, -1).bits : low + (high - low) / 2;
  const Overflow overflow = turn % 4 < 2 ? Overflow::kInfinity : Overflow::kSaturate;
  for (const Bits x : {low, low + 1, middle - 1, middle, middle + 1, high - 1, high}) {
    for (const auto& rounding : kRoundings) {
      const Environment env{.rounding = rounding.value,
                            .subnormals = kSubnormalPolicies[turn / 4 % 4].value,
                            .overflow = overflow};
      checker.expect(slow::convert(wide, f, x | sign, env), soft::convert(wide, f, x | sign, env),
                     f, env, {x | sign});
    }
  }
}

void check_midpoints(const Format& wide, const Format& f, Bits stride) {
  slow::Checker checker("convert " + std::string(wide.name) + " to " + std::string(f.name));
  const Bits top = formats::max_finite(f);
  std::size_t turn = 0;
  for (Bits a = 0; a < top; a += stride) {
    check_between(wide, f, soft::convert(f, wide, a).bits, soft::convert(f, wide, a + 1).bits,
                  checker, turn++);
  }
  // The step after the largest number is as wide as the one before it, or twice that for a power
  // of two.
  const Bits last = soft::convert(f, wide, top).bits;
  const Bits step = last - soft::convert(f, wide, top - 1).bits;
  for (int i = 0; i < 16; ++i) check_between(wide, f, last, last + step, checker, turn++);
  if (f.has_zero) return;
  const Bits first = soft::convert(f, wide, 0).bits;
  const Bits below = soft::ldexp(wide, first, -1).bits;
  for (int i = 0; i < 16; ++i) check_between(wide, f, below, first, checker, turn++);
}

class Midpoints : public testing::TestWithParam<Format> {};

TEST_P(Midpoints, FromFp32) {
  check_midpoints(formats::kFp32, GetParam(), GetParam().bits > 16 ? 61 : 1);
}
TEST_P(Midpoints, FromFp64) {
  check_midpoints(formats::kFp64, GetParam(), GetParam().bits > 16 ? 61 : 5);
}

INSTANTIATE_TEST_SUITE_P(Formats, Midpoints,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits <= 19;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(Convert, ScalingAndIntegers) {
  const Format& f = GetParam();
  slow::Checker ldexp("ldexp");
  slow::Checker from_int("from_int");
  slow::Operands operands(8);
  for (int i = 0; i < kRandom; ++i) {
    const Environment env = operands.environment(f);
    const Bits a = operands.any(f);
    const int n = static_cast<int>(operands.word() % 5000) - 2500;
    ldexp.expect(slow::ldexp(f, a, n, env), soft::ldexp(f, a, n, env), f, env, {a, Bits(n)});
    const auto integer = static_cast<std::int64_t>(operands.word()) >> (operands.word() % 64);
    from_int.expect(slow::from_int(f, integer, env), soft::from_int(f, integer, env), f, env,
                    {Bits(integer)});
  }
  for (const std::int64_t edge : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                  std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    from_int.expect(slow::from_int(f, edge, {}), soft::from_int(f, edge, {}), f, {}, {Bits(edge)});
  }
  for (const int n :
       {std::numeric_limits<int>::min(), -100000, 100000, std::numeric_limits<int>::max()}) {
    for (const Bits a : slow::corners(f)) {
      ldexp.expect(slow::ldexp(f, a, n, {}), soft::ldexp(f, a, n, {}), f, {}, {a, Bits(n)});
    }
  }
}

// Whether each number of `from` comes back from `to` as it was.
bool all_survive(const Format& from, const Format& to) {
  for (Bits bits = 0; bits <= from.mask(); ++bits) {
    if (!formats::is_finite(from, bits)) continue;
    const Bits there = convert(from, to, bits).bits;
    const Bits back = convert(to, from, there).bits;
    const bool is_zero_again = formats::is_zero(from, bits) && formats::is_zero(to, there);
    if (!is_zero_again && (!formats::is_finite(to, there) || back != bits)) return false;
  }
  return true;
}

TEST(Contains, MeansThatEveryNumberSurvives) {
  int contained = 0;
  for (const Format& from : formats::kFormats) {
    if (from.bits > 16) continue;
    for (const Format& to : formats::kFormats) {
      EXPECT_EQ(all_survive(from, to), to.contains(from)) << from.name << " in " << to.name;
      if (to.contains(from)) ++contained;
    }
  }
  EXPECT_GT(contained, 30);
}

TEST(Sign, NegateAndAbsTouchOneBit) {
  EXPECT_EQ(neg(formats::kFp16, 0x7d01), 0xfd01U);
  EXPECT_EQ(abs(formats::kFp16, 0xfd01), 0x7d01U);
  EXPECT_EQ(neg(formats::kFp32, 0x80000000), 0U);
}

TEST(Sign, TheOnlyZeroAndTheOnlyNanHaveNoOpposite) {
  const Format& f = formats::kE4m3fnuz;
  EXPECT_EQ(0x00U, neg(f, 0x00));
  EXPECT_EQ(0x80U, neg(f, 0x80));
  EXPECT_EQ(0x80U, abs(f, 0x80));
  EXPECT_EQ(0x81U, neg(f, 0x01));
  EXPECT_EQ(0x7fU, abs(f, 0xff));
}

INSTANTIATE_TEST_SUITE_P(Formats, Convert,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
