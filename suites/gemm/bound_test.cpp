// SPDX-License-Identifier: Apache-2.0
// The bound of library products: it ends where a page of arithmetic says, no order of an fp32 sum
// leaves it, and each output has that of its own operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "reference/formats/classify.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/inputs.hpp"
#include "suites/core/judge.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp32;

Case named(std::string_view name) { return parse_case("gemm", suite().axes, name); }

Bits ratio_of_two(std::int64_t numerator, int exponent) {
  return scaled(kFp32, numerator, exponent);
}

// 60 products of 1 and -1 in turn: their sum is 0 and S is 60. With four roundings behind them
// n = 64 and gamma is 66 * 2^-24; what may underflow vanishes beside it.
TEST(GemmBound, EndsWhereItSays) {
  const Case c = named("gemm.fp32.acc-fp32.out-fp32.library.nn.m1n1k60.plain.normal.s7");
  TensorSet inputs = suite().inputs(c);
  for (std::size_t x = 0; x < 60; ++x) {
    inputs.at("a").set(x, formats::one(kFp32));
    inputs.at("b").set(x, formats::one(kFp32, x % 2 != 0));
  }
  const Enclosure enclosure = *enclose(c, inputs);
  EXPECT_EQ(ratio_of_two(-66 * 60, -24), enclosure.low.at("d").at(0));
  EXPECT_EQ(ratio_of_two(66 * 60, -24), enclosure.high.at("d").at(0));
}

TEST(GemmBound, NoOrderLeavesIt) {
  std::size_t held = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    const operators::GemmProblem p = bind(c).problem;
    const bool of_fp32_sums = c.word("provider") == "library";
    if (!of_fp32_sums || suite().row(c, {}).tier != Tier::kBounded || p.d_count() * p.k > 50000)
      continue;
    const TensorSet inputs = suite().inputs(c);
    const Enclosure enclosure = *enclose(c, inputs);
    for (const Hypothesis& h : suite().hypotheses(c)) {
      if (h.name != "sum-fp32.reversed.fma" && h.name != "sum-fp32.pairwise.mul") continue;
      EXPECT_EQ(0u, compare({enclosure.low, 0, &enclosure}, h.evaluate(c, inputs)).mismatches)
          << print(c) << " as " << h.name;
      ++held;
    }
  }
  EXPECT_GT(held, 10u);
}

// The middle of the ends is the exact sum of the output's own operands, to the last place.
TEST(GemmBound, IsOfTheOutputsOwnOperands) {
  const Case c = named("gemm.fp32.acc-fp32.out-fp32.library.nn.m3n4k5.batch3.normal.s7");
  const Binding bound = bind(c);
  const operators::GemmProblem& p = bound.problem;
  const TensorSet inputs = suite().inputs(c);
  const Operands operands = operands_of(bound, inputs);
  const Enclosure enclosure = *enclose(c, inputs);
  ASSERT_EQ(3u, p.batch);
  for (std::size_t i = 0; i < p.d_count(); ++i) {
    models::ExactSum exact;
    const std::size_t item = i / (p.m * p.n);
    for (std::size_t x = 0; x < p.k; ++x) {
      exact.add_product(kFp32, operands.a.at(p.a_index(item, i / p.n % p.m, x)), kFp32,
                        operands.b.at(p.b_index(item, x, i % p.n)));
    }
    const Bits middle = exact.round(kFp32).bits;
    EXPECT_TRUE(soft::lt(kFp32, enclosure.low.at("d").at(i), middle).bits != 0) << i;
    EXPECT_TRUE(soft::lt(kFp32, middle, enclosure.high.at("d").at(i)).bits != 0) << i;
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
