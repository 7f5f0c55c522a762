// SPDX-License-Identifier: Apache-2.0
// What open accuracy excuses: a sum that is kept in fp16, on whole numbers and on others alike; no
// sum that misses an element, and no maximum, which has no digits to lose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "backends/device_info.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/reduction/rows.hpp"
#include "suites/reduction/suite.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::kFp16;

TEST(ReductionFreedoms, ExactRowsOfLibrariesHaveTheAccuracyOfTheBoundedOneUnlessTheySelect) {
  std::size_t sums = 0, maxima = 0;
  for (const Case& c : suite().cases(Level::kStandard, kTestSeed)) {
    const ContractRow& row = suite().bind(c)->row({});
    const bool is_exact = !bind(c).portable && row.tier == Tier::kExact;
    const bool selects = bind(c).operation == Operation::kMax;
    (selects ? maxima : sums) += is_exact ? 1 : 0;
    EXPECT_EQ(!bind(c).portable && !selects,
              std::ranges::count(row.freedoms, "accuracy", &Freedom::name) == 1)
        << print(c) << ' ' << row.id;
  }
  EXPECT_LT(50U, sums);
  EXPECT_LT(15U, maxima);
}

Bits sum_in_fp16(const Binding& b, const Row& x) {
  Bits sum = 0;
  for (std::size_t i = 0; i < x.width(); ++i) sum = soft::add(kFp16, sum, x.at(i)).bits;
  return soft::convert(kFp16, *b.output, sum).bits;
}

TEST(ReductionFreedoms, ANarrowSumIsADeviationWhereNoAccuracyIsStated) {
  for (const std::string name : {"reduction.sum.fp16.out-fp32.library.r4n4097.ones.s7",
                                 "reduction.sum.fp16.out-fp32.library.r64n1021.normal.s7"}) {
    const Prepared prepared(suite(), parse_case("reduction", suite().axes, name));
    const TensorSet actual = each(prepared.problem->c(), prepared.inputs, sum_in_fp16);
    CaseResult result;
    result.mismatches = compare(prepared.allowance(), actual).mismatches;
    EXPECT_LT(0U, result.mismatches) << name;
    result.explanations =
        diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
    ASSERT_FALSE(result.explanations.empty()) << name;
    EXPECT_EQ("sum-in-fp16-1", result.explanations.front().hypothesis) << name;
    const backends::DeviceInfo device;
    backends::Library library;
    decide_standing(result, prepared.problem->row(device), {device, &library});
    EXPECT_EQ(Standing::kViolation, result.standing) << name;
    library.promises = backends::left_open("a library", "its manual", backends::Of::kFunctions);
    decide_standing(result, prepared.problem->row(device), {device, &library});
    EXPECT_EQ(Standing::kDeviation, result.standing) << name;
  }
}

// The standing of a device whose library states no accuracy.
Standing standing_where_open(const Prepared& prepared, const TensorSet& actual,
                             CaseResult& result) {
  result.mismatches = compare(prepared.allowance(), actual).mismatches;
  result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  const backends::DeviceInfo device;
  backends::Library library;
  library.promises = backends::left_open("a library", "its manual", backends::Of::kFunctions);
  decide_standing(result, prepared.problem->row(device), {device, &library});
  return result.standing;
}

Bits sum_without_one(const Binding& b, const Row& x) {
  constexpr std::size_t kMissing = 345;
  return nearest(*b.output, sum_of(x).value - value_of(x.format(), x.at(kMissing)));
}

TEST(ReductionFreedoms, AMissingElementIsAViolationAlthoughAllButSomeDigitsAreRight) {
  const Prepared prepared(suite(), parse_case("reduction", suite().axes,
                                              "reduction.sum.fp16.out-fp32.library."
                                              "r3n70000.integer.s7"));
  const TensorSet actual = each(prepared.problem->c(), prepared.inputs, sum_without_one);
  CaseResult result;
  EXPECT_EQ(Standing::kViolation, standing_where_open(prepared, actual, result));
  ASSERT_FALSE(result.explanations.empty());
  EXPECT_EQ("low_precision", result.explanations.front().finding_class) << "some bits are good";
}

TEST(ReductionFreedoms, AMaximumHasNoDigitsToLose) {
  const Prepared prepared(suite(),
                          parse_case("reduction", suite().axes,
                                     "reduction.max.fp32.out-fp32.library.r16n2049.normal.s7"));
  EXPECT_EQ("reduction.max.exact", prepared.problem->row({}).id);
  TensorSet actual = prepared.expected.middle;
  formats::Tensor& y = actual.at("y");
  for (std::size_t i = 0; i < y.count(); ++i)
    y.set(i, nearest(*y.format, through(&formats::kBf16, value_of(*y.format, y.at(i)))));
  CaseResult result;
  EXPECT_EQ(Standing::kViolation, standing_where_open(prepared, actual, result)) << result.reason;
  EXPECT_LT(0U, result.mismatches);
}

// In two bins of 13 bits at fixed powers of two, from that of the largest element on.
Bits sum_in_bins(const Binding& b, const Row& x) {
  constexpr int kBits = 13;
  double most = 0;
  for (std::size_t i = 0; i < x.width(); ++i)
    most = std::max(most, std::abs(value_of(x.format(), x.at(i))));
  const int top = static_cast<int>(std::floor(std::ilogb(most) / double{kBits}));
  double sum = 0;
  for (std::size_t i = 0; i < x.width(); ++i) {
    double left = value_of(x.format(), x.at(i));
    for (const int bin : {top, top - 1}) {
      const double part = std::ldexp(std::nearbyint(std::ldexp(left, -bin * kBits)), bin * kBits);
      sum += part;
      left -= part;
    }
  }
  return nearest(*b.output, sum);
}

TEST(ReductionFreedoms, ABrokenRelationIsADeviationIfBothSumsAreRight) {
  const Case c = parse_case("reduction", suite().axes,
                            "reduction.sum.fp32.out-fp32.library.r8n1021.related.s7");
  const Prepared prepared(suite(), c);
  TensorSet operands = *operands_of_calls(*prepared.problem, prepared.inputs);
  const TensorSet first = each(c, prepared.inputs, sum_in_bins);
  EXPECT_EQ(0U, compare(prepared.allowance(), first).mismatches);
  const TensorSet eightfold{{"x", take_related(operands).begin()->second}};
  const auto standing = [&](formats::Tensor second) {
    CaseResult result;
    judge_relation(result, *prepared.problem, prepared.inputs, first,
                   {{"y" + std::string(kRelated), std::move(second)}});
    return result.standing;
  };
  formats::Tensor second = each(c, eightfold, sum_in_bins).at("y");
  EXPECT_EQ(Standing::kDeviation, standing(second));
  second.set(0, 0);
  EXPECT_EQ(Standing::kViolation, standing(second)) << "one sum is wrong by itself";
}

}  // namespace
}  // namespace halfmark::suites::reduction
