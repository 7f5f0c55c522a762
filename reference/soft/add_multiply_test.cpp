// SPDX-License-Identifier: Apache-2.0
// Sums, products and fused multiply-adds against the naive twin: every pair of corner values in
// every environment, and weighted random operands in any environment.
#include "reference/soft/add_multiply.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 100000;

class AddMultiply : public testing::TestWithParam<Format> {};

struct Checkers {
  slow::Checker add{"add"};
  slow::Checker sub{"sub"};
  slow::Checker mul{"mul"};

  void pair(const Format& f, Bits a, Bits b, const Environment& env) {
    add.expect(slow::add(f, a, b, env), soft::add(f, a, b, env), f, env, {a, b});
    sub.expect(slow::sub(f, a, b, env), soft::sub(f, a, b, env), f, env, {a, b});
    mul.expect(slow::mul(f, a, b, f, env), soft::mul(f, a, b, env), f, env, {a, b});
  }
};

TEST_P(AddMultiply, PairsOfCornersInEveryEnvironment) {
  const Format& f = GetParam();
  const auto corners = slow::corners(f);
  const auto& environments = slow::all_policies();
  Checkers checkers;
  std::size_t turn = 0;
  for (const Bits a : corners) {
    turn += 7;
    for (const Bits b : corners) {
      // Every corner value meets every environment; every pair meets one of the forty.
      checkers.pair(f, a, b, environments[turn++ % environments.size()]);
    }
  }
}

TEST_P(AddMultiply, RandomPairs) {
  const Format& f = GetParam();
  slow::Operands operands(1);
  Checkers checkers;
  for (int i = 0; i < kRandom; ++i) {
    const Bits a = operands.any(f);
    const Bits b = i % 4 == 0 ? operands.close_to(f, a) : operands.any(f);
    checkers.pair(f, a, b, operands.environment(f));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, AddMultiply,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits > 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
