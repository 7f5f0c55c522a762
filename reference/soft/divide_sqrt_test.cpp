// SPDX-License-Identifier: Apache-2.0
// Quotients and roots against the naive twin; square roots of 16-bit formats exhaustively, in
// all directions.
#include "reference/soft/divide_sqrt.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 80000;

class DivideSqrt : public testing::TestWithParam<Format> {};

TEST_P(DivideSqrt, PairsOfCorners) {
  const Format& f = GetParam();
  const auto corners = slow::corners(f);
  slow::Checker checker("div");
  const auto& environments = slow::all_policies();
  std::size_t turn = 0;
  for (const Bits a : corners) {
    turn += 7;
    for (const Bits b : corners) {
      const Environment& env = environments[turn++ % environments.size()];
      checker.expect(slow::div(f, a, b, env), soft::div(f, a, b, env), f, env, {a, b});
    }
  }
}

TEST_P(DivideSqrt, RandomOperands) {
  const Format& f = GetParam();
  slow::Operands operands(4);
  slow::Checker quotient("div");
  slow::Checker root("sqrt");
  for (int i = 0; i < kRandom; ++i) {
    const Bits a = operands.any(f);
    const Bits b = operands.any(f);
    const Environment env = operands.environment(f);
    quotient.expect(slow::div(f, a, b, env), soft::div(f, a, b, env), f, env, {a, b});
    root.expect(slow::sqrt(f, a, env), soft::sqrt(f, a, env), f, env, {a});
  }
}

TEST_P(DivideSqrt, RootsOfSquaresAndTheirNeighbours) {
  const Format& f = GetParam();
  slow::Operands operands(5);
  slow::Checker root("sqrt");
  for (int i = 0; i < kRandom / 4; ++i) {
    const Bits a = operands.any(f);
    const Bits square = soft::mul(f, a, a).bits;
    for (const Bits x : {square, square + 1, square - 1}) {
      const Environment env = operands.environment(f);
      root.expect(slow::sqrt(f, x & f.mask(), env), soft::sqrt(f, x & f.mask(), env), f, env, {x});
    }
  }
}

TEST_P(DivideSqrt, EveryRootOfSixteenBitFormats) {
  const Format& f = GetParam();
  if (f.bits > 16) return;
  slow::Checker checker("sqrt");
  for (const auto& rounding : kRoundings) {
    for (Bits a = 0; a <= f.mask(); ++a) {
      const Environment env{rounding.value, kSubnormalPolicies[a % 4].value};
      checker.expect(slow::sqrt(f, a, env), soft::sqrt(f, a, env), f, env, {a});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DivideSqrt,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits > 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
