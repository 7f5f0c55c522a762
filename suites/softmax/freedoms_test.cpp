// SPDX-License-Identifier: Apache-2.0
// What a library may do inside a softmax where its documents say nothing is a deviation in rows
// with one right answer, too: to keep a sum in bf16, and to flush subnormal results. The kernel,
// whose steps are specified, has none of these freedoms.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/device_info.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Bits;
using formats::kFp16;

TEST(SoftmaxFreedoms, OfALibrarysBoundAreThoseOfItsExactRows) {
  std::size_t rows = 0;
  for (const Case& c : suite().cases(Level::kStandard, kTestSeed)) {
    const ContractRow& row = suite().bind(c)->row({});
    const bool is_library = !bind(c).portable;
    rows += is_library && row.tier == Tier::kExact ? 1 : 0;
    for (const char* freedom : {"accuracy", "conversion_subnormals"}) {
      EXPECT_EQ(is_library, std::ranges::count(row.freedoms, freedom, &Freedom::name) == 1)
          << print(c) << ' ' << row.id;
    }
  }
  EXPECT_LT(2U, rows);
}

// The standing of one explanation, by what the library's documents say.
void expect_open(const Prepared& prepared, const TensorSet& actual, const std::string& name) {
  CaseResult result;
  result.mismatches = compare(prepared.allowance(), actual).mismatches;
  EXPECT_LT(0U, result.mismatches) << name;
  result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  ASSERT_FALSE(result.explanations.empty()) << name;
  EXPECT_EQ(name, result.explanations.front().hypothesis);
  const backends::DeviceInfo device;
  backends::Library library;
  decide_standing(result, prepared.problem->row(device), {device, &library});
  EXPECT_EQ(Standing::kViolation, result.standing) << name;
  library.promises = backends::left_open("a library", "its manual", backends::Of::kFunctions);
  decide_standing(result, prepared.problem->row(device), {device, &library});
  EXPECT_EQ(Standing::kDeviation, result.standing) << name;
}

// Where a sum in bf16 stops at 256.
TEST(SoftmaxFreedoms, ANarrowSumIsADeviationWhereNoAccuracyIsStated) {
  const Case c = parse_case("softmax", suite().axes,
                            "softmax.forward.fp16.out-fp16.library.r12n1024.equal.s7");
  const Prepared prepared(suite(), c);
  EXPECT_EQ("softmax.library.equal.exact", prepared.problem->row({}).id);
  TensorSet actual = prepared.expected.middle;
  formats::Tensor& y = actual.at("y");
  const Bits least = nearest(kFp16, 0x1p-8);
  for (std::size_t i = 0; i < y.count(); ++i) {
    if (y.at(i) != 0 && value_of(kFp16, y.at(i)) < 0x1p-8) y.set(i, least);
  }
  expect_open(prepared, actual, "sum-in-bf16-by-1");
}

TEST(SoftmaxFreedoms, FlushedResultsAreADeviationWhereSubnormalsAreOpen) {
  const Case c =
      parse_case("softmax", suite().axes, "softmax.forward.fp16.out-fp16.library.r16n100.tail.s7");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  formats::Tensor& y = actual.at("y");
  for (std::size_t i = 0; i < y.count(); ++i) {
    if (formats::is_subnormal(kFp16, y.at(i))) y.set(i, 0);
  }
  expect_open(prepared, actual, "results-flushed");
}

// A number below the normal range that rounds to the least normal one: some devices flush it.
TEST(SoftmaxFreedoms, FlushedBeforeRoundingIsFlushedToo) {
  constexpr std::size_t kNearest = 17111;
  const Case c = parse_case("softmax", suite().axes,
                            "softmax.forward.fp16.out-fp16.library.r300n500.normal.s2");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  formats::Tensor& y = actual.at("y");
  for (std::size_t i = 0; i < y.count(); ++i) {
    if (formats::is_subnormal(kFp16, y.at(i))) y.set(i, 0);
  }
  ASSERT_EQ(formats::min_normal(kFp16), y.at(kNearest));
  expect_open(prepared, actual, "results-flushed");
  y.set(kNearest, 0);
  expect_open(prepared, actual, "results-flushed");
}

}  // namespace
}  // namespace halfmark::suites::softmax
