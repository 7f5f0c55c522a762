// SPDX-License-Identifier: Apache-2.0
// Quotients and roots against the naive twin; square roots of 16-bit formats exhaustively, in every
// environment.
#include "reference/soft/divide_sqrt.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 340000;

class DivideSqrt : public testing::TestWithParam<Format> {};

TEST_P(DivideSqrt, PairsOfCorners) {
  const Format& f = GetParam();
  const auto corners = slow::corners(f);
  slow::Checker checker("div");
  std::size_t turn = 0;
  for (const Bits a : corners) {
    for (const Bits b : corners) {
      for (std::size_t i = 0; i < 5; ++i) {
        const Environment& env = slow::all_environments()[turn++ % 20];
        checker.expect(slow::div(f, a, b, env), soft::div(f, a, b, env), f, env, {a, b});
      }
      ++turn;
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
    const Environment& env = operands.environment();
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
      const Environment& env = operands.environment();
      root.expect(slow::sqrt(f, x & f.mask(), env), soft::sqrt(f, x & f.mask(), env), f, env, {x});
    }
  }
}

TEST_P(DivideSqrt, EveryRootOfSixteenBitFormats) {
  const Format& f = GetParam();
  if (f.bits > 16) return;
  slow::Checker checker("sqrt");
  for (const Environment& env : slow::all_environments()) {
    for (Bits a = 0; a <= f.mask(); ++a) {
      checker.expect(slow::sqrt(f, a, env), soft::sqrt(f, a, env), f, env, {a});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DivideSqrt,
                         testing::Values(formats::kFp16, formats::kBf16, formats::kFp32),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
