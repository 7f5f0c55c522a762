// SPDX-License-Identifier: Apache-2.0
// Devices whose maximum takes NaN in one of the four wrong ways, simulated by the host's own
// comparisons, are named; a right one shows nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/fast/floating_point.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/reduction/rows.hpp"
#include "suites/reduction/suite.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::kFp16;
using Choose = bool (*)(double found, double next);  // whether the running maximum stays

Bits maximum(const Row& x, Choose stays, std::size_t lanes) {
  std::vector<Bits> found(lanes, formats::infinity(kFp16, true));
  const auto take = [&](Bits& lane, Bits next) {
    if (!stays(value_of(kFp16, lane), value_of(kFp16, next))) lane = next;
  };
  for (std::size_t i = 0; i < x.width(); ++i) take(found[i % lanes], x.at(i));
  for (std::size_t lane = 1; lane < lanes; ++lane) take(found[0], found[lane]);
  return found[0];
}

// The name that the diagnosis gives first to a device's results; empty if they are right.
std::string named(Choose stays, std::size_t lanes = 1) {
  const fast::FloatingPointScope scope;
  const Case c =
      parse_case("reduction", suite().axes, "reduction.max.fp16.out-fp16.library.r66n65.nan.s7");
  const Prepared prepared(suite(), c);
  TensorSet got = each(c, prepared.inputs,
                       [&](const Binding&, const Row& x) { return maximum(x, stays, lanes); });
  if (compare(prepared.allowance(), got).mismatches == 0) return "";
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  if (found.empty() || found[0].contradicted > 0) return "unexplained";
  return found[0].hypothesis;
}

TEST(Maxima, WithNaNInTheWrongWayAreNamed) {
  EXPECT_EQ("nan-dropped", named([](double a, double b) { return !(b > a); }));
  EXPECT_EQ("nan-dropped", named([](double a, double b) { return !(b >= a); }));
  EXPECT_EQ("restarted-at-nan", named([](double a, double b) { return a > b; }));
  EXPECT_EQ("restarted-at-nan", named([](double a, double b) { return a >= b; }));
  EXPECT_EQ("restarted-at-nan-in-16-lanes", named([](double a, double b) { return a > b; }, 16));
  EXPECT_EQ("", named([](double a, double b) { return a >= b || std::isnan(a); }));
}

// A product of a matrix with a constant vector is no violation where no accuracy is promised.
TEST(Means, OfElementsThatAreScaledFirstAreNamedAndPermitted) {
  const fast::FloatingPointScope scope;
  const Case c =
      parse_case("reduction", suite().axes, "reduction.mean.fp16.out-fp32.library.r7n1021.wide.s7");
  const Prepared prepared(suite(), c);
  const TensorSet got = each(c, prepared.inputs, [](const Binding& b, const Row& x) {
    const float share = 1 / static_cast<float>(b.width);
    float sum = 0;
    for (std::size_t i = b.width; i-- > 0;)
      sum += static_cast<float>(value_of(kFp16, x.at(i))) * share;
    return nearest(*b.output, static_cast<double>(sum));
  });
  EXPECT_GT(compare(prepared.allowance(), got).mismatches, 0U) << "not the specified order";
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("elements-scaled-first", found[0].hypothesis);
  EXPECT_EQ(0U, found[0].contradicted);
  const ContractRow& row = prepared.problem->row({});
  EXPECT_EQ(std::vector<std::string>{"mean_scaling"}, found[0].freedoms);
  EXPECT_TRUE(std::ranges::any_of(
      row.freedoms, [](const Freedom& freedom) { return freedom.name == "mean_scaling"; }));
}

}  // namespace
}  // namespace halfmark::suites::reduction
