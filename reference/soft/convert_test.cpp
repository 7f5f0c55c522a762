// SPDX-License-Identifier: Apache-2.0
// Conversions, rounding to integers and scaling against the naive twin: corners, weighted random
// encodings, and the midpoints that a narrowing conversion can get wrong.
// convert_exhaustive_test.cpp has the rest.
#include "reference/soft/convert.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 340000;

class Convert : public testing::TestWithParam<Format> {};

TEST_P(Convert, CornersAndRandomEncodings) {
  const Format& f = GetParam();
  slow::Checker rint("rint");
  slow::Checker convert("convert from " + std::string(f.name));
  const auto check = [&](Bits a, const Environment& env) {
    rint.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
    for (const Format& to : {formats::kFp16, formats::kBf16, formats::kFp32}) {
      convert.expect(slow::convert(f, to, a, env), soft::convert(f, to, a, env), to, env, {a});
    }
  };
  for (const Bits a : slow::corners(f)) {
    for (const Environment& env : slow::all_environments()) check(a, env);
  }
  slow::Operands operands(7);
  for (int i = 0; i < kRandom; ++i) check(operands.any(f), operands.environment());
}

// What a conversion to a narrow format can get wrong: midpoints of the narrow format's neighbours,
// and the wide format's neighbours of those.
TEST_P(Convert, MidpointsOfSixteenBitFormats) {
  const Format& f = GetParam();
  if (f.bits > 16) return;
  slow::Checker convert("convert fp32 to " + std::string(f.name));
  const Format& wide = formats::kFp32;
  for (Bits a = 0; a < formats::max_finite(f); ++a) {
    const Bits low = soft::convert(f, wide, a).bits;
    const Bits high = soft::convert(f, wide, a + 1).bits;
    const Bits sign = (a & 1) != 0 ? wide.sign_mask() : 0;
    const Bits middle = low + (high - low) / 2;
    for (const Bits x : {low + 1, middle - 1, middle, middle + 1, high - 1}) {
      for (const auto& rounding : kRoundings) {
        const Environment env{rounding.value, Subnormals::kKeep};
        convert.expect(slow::convert(wide, f, x | sign, env), soft::convert(wide, f, x | sign, env),
                       f, env, {x | sign});
      }
    }
  }
}

TEST_P(Convert, ScalingAndIntegers) {
  const Format& f = GetParam();
  slow::Checker ldexp("ldexp");
  slow::Checker from_int("from_int");
  slow::Operands operands(8);
  for (int i = 0; i < kRandom; ++i) {
    const Environment& env = operands.environment();
    const Bits a = operands.any(f);
    const int n = static_cast<int>(operands.word() % 600) - 300;
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

TEST(Sign, NegateAndAbsTouchOneBit) {
  EXPECT_EQ(neg(formats::kFp16, 0x7d01), 0xfd01U);
  EXPECT_EQ(abs(formats::kFp16, 0xfd01), 0x7d01U);
  EXPECT_EQ(neg(formats::kFp32, 0x80000000), 0U);
}

INSTANTIATE_TEST_SUITE_P(Formats, Convert,
                         testing::Values(formats::kFp16, formats::kBf16, formats::kFp32),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
