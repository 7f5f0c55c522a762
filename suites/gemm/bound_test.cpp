// SPDX-License-Identifier: Apache-2.0
// The bound of library products: its ends match a calculation by hand, it contains every order of
// an fp32 sum, and each output has the bound of its own operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "reference/formats/classify.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/judge/judge.hpp"
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

// 60 alternating products of 1 and -1: their sum is 0 and S is 60. With four more roundings n =
// 64, and gamma is 64 u + 2016 u^2 + 2^-31, in fp32 (2^23 + 2^10 + 2^4) * 2^-41; the underflow
// term is negligible.
TEST(GemmBound, EndsWhereItSays) {
  const Case c = named("gemm.fp32.acc-fp32.out-fp32.library.nn.m1n1k60.plain.normal.s7");
  TensorSet inputs = suite().bind(c)->inputs();
  for (std::size_t x = 0; x < 60; ++x) {
    inputs.at("a").set(x, formats::one(kFp32));
    inputs.at("b").set(x, formats::one(kFp32, x % 2 != 0));
  }
  const Enclosure enclosure = *enclose(c, inputs);
  constexpr std::int64_t kEnd = 60 * (64 * 8192 + 64 + 1);
  EXPECT_EQ(ratio_of_two(-kEnd, -37), enclosure.low.at("d").at(0));
  EXPECT_EQ(ratio_of_two(kEnd, -37), enclosure.high.at("d").at(0));
}

// For half sums with twelve products: n = 16, S = 12, so 12 * ((1 + 2^-11)^16 - 1) is 0.09409;
// underflow of the sums and of alpha times them adds 2 * 16 * 2^-14: 1573.6 * 2^-14, stored.
TEST(GemmBound, OfHalfSumsEndsWhereItSays) {
  const Case c = named("gemm.fp16.acc-fp16.out-fp16.library.nn.m1n1k12.plain.normal.s7");
  TensorSet inputs = suite().bind(c)->inputs();
  for (std::size_t x = 0; x < 12; ++x) {
    inputs.at("a").set(x, formats::one(formats::kFp16));
    inputs.at("b").set(x, formats::one(formats::kFp16, x % 2 != 0));
  }
  const Enclosure enclosure = *enclose(c, inputs);
  EXPECT_EQ(scaled(formats::kFp16, -1574, -14), enclosure.low.at("d").at(0));
  EXPECT_EQ(scaled(formats::kFp16, 1574, -14), enclosure.high.at("d").at(0));
}

// All that a library may do with permission to use fp16: any order, fused or not, in parts, or
// wider. Every end is finite, so no such sum overflows.
TEST(GemmBound, NoOrderOfHalfSumsLeavesIt) {
  constexpr std::string_view kSums[] = {"sum-fp16.sequential.mul", "sum-fp16.reversed.fma",
                                        "sum-fp16.reversed.mul",   "sum-fp16.pairwise.mul",
                                        "sum-fp32.sequential.fma", "sum-exact"};
  std::size_t held = 0;
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    const Binding bound = bind(c);
    const operators::GemmProblem& p = bound.problem;
    if (bound.is_portable() || *bound.accumulator == kFp32 ||
        suite().bind(c)->row({}).tier != Tier::kBounded || p.d_count() * p.k > 150000)
      continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure enclosure = *enclose(c, inputs);
    for (const TensorSet* ends : {&enclosure.low, &enclosure.high}) {
      const formats::Tensor& d = ends->at("d");
      for (std::size_t i = 0; i < d.count(); ++i)
        ASSERT_TRUE(formats::is_finite(*d.format, d.at(i))) << print(c) << " at " << i;
    }
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (std::find(std::begin(kSums), std::end(kSums), h.name) == std::end(kSums)) continue;
      EXPECT_EQ(0u,
                compare({enclosure.low, 0, &enclosure}, h.evaluate(c, inputs).middle).mismatches)
          << print(c) << " as " << h.name;
      ++held;
    }
  }
  EXPECT_GT(held, 300u);
}

// Sums in a format of eight digits do not count as fp16 sums, and omitting partial sums is not
// an order.
TEST(GemmBound, OfHalfSumsHoldsNoNarrowerSumsAndNoneThatLackATerm) {
  const Case c = named("gemm.fp16.acc-fp16.out-fp16.library.nn.m33n35k3.plain.normal.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const Enclosure enclosure = *enclose(c, inputs);
  std::size_t found = 0;
  for (const Hypothesis& h : suite().bind(c)->mistakes()) {
    if (h.name != "sum-bf16.sequential.fma" && h.name != "last-product-dropped") continue;
    EXPECT_LT(10u, compare({enclosure.low, 0, &enclosure}, h.evaluate(c, inputs).middle).mismatches)
        << h.name;
    ++found;
  }
  EXPECT_EQ(2u, found);
}

TEST(GemmBound, NoOrderLeavesIt) {
  std::size_t held = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    const operators::GemmProblem p = bind(c).problem;
    const bool of_fp32_sums =
        c.word("provider") == "library" && c.word("accumulator") == "acc-fp32";
    if (!of_fp32_sums || suite().bind(c)->row({}).tier != Tier::kBounded ||
        p.d_count() * p.k > 50000)
      continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure enclosure = *enclose(c, inputs);
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (h.name != "sum-fp32.reversed.fma" && h.name != "sum-fp32.pairwise.mul") continue;
      EXPECT_EQ(0u,
                compare({enclosure.low, 0, &enclosure}, h.evaluate(c, inputs).middle).mismatches)
          << print(c) << " as " << h.name;
      ++held;
    }
  }
  EXPECT_GT(held, 10u);
}

// The midpoint of the bounds is the exact sum of the output's own operands, to the last place.
TEST(GemmBound, IsOfTheOutputsOwnOperands) {
  const Case c = named("gemm.fp32.acc-fp32.out-fp32.library.nn.m3n4k5.batch3.normal.s7");
  const Binding bound = bind(c);
  const operators::GemmProblem& p = bound.problem;
  const TensorSet inputs = suite().bind(c)->inputs();
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
