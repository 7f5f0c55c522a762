// SPDX-License-Identifier: Apache-2.0
// Digits that a library loses are judged alike on data with one right answer and on others, as the
// promises of the exact rows say: a deviation where its documents leave its accuracy open, and else
// a violation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "backends/device_info.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::kFp16;
using formats::kFp32;

TEST(LayernormFreedoms, OfALibrarysBoundAreThoseOfItsExactRows) {
  std::size_t rows = 0;
  for (const Case& c : suite().cases(Level::kStandard, kTestSeed)) {
    const ContractRow& row = suite().bind(c)->row({});
    const bool is_library = !bind(c).portable;
    rows += is_library && row.tier == Tier::kExact ? 1 : 0;
    EXPECT_EQ(is_library, std::ranges::count(row.freedoms, "accuracy", &Freedom::name) == 1)
        << print(c) << ' ' << row.id;
  }
  EXPECT_LT(10U, rows);
}

void expect_open(const Prepared& prepared, const TensorSet& actual, const std::string& name) {
  const std::string about = print(prepared.problem->c());
  CaseResult result;
  result.mismatches = compare(prepared.allowance(), actual).mismatches;
  EXPECT_LT(0U, result.mismatches) << about;
  result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  ASSERT_FALSE(result.explanations.empty()) << about;
  EXPECT_EQ(name, result.explanations.front().hypothesis) << about;
  const backends::DeviceInfo device;
  backends::Library library;
  decide_standing(result, prepared.problem->row(device), {device, &library});
  EXPECT_EQ(Standing::kViolation, result.standing) << about;
  library.promises = backends::left_open("a library", "its manual", backends::Of::kFunctions);
  decide_standing(result, prepared.problem->row(device), {device, &library});
  EXPECT_EQ(Standing::kDeviation, result.standing) << about;
}

Prepared prepared(const std::string& tail) {
  return {suite(), parse_case("layernorm", suite().axes, "layernorm." + tail + ".s7")};
}

TEST(LayernormFreedoms, ANarrowRstdIsHeldToTheBoundInEveryRow) {
  for (const char* tail :
       {"forward.fp16.library.r8n100.eps1e-5.zeros", "forward.fp16.library.r8n64.eps1e-5.normal"}) {
    const Prepared all = prepared(tail);
    TensorSet actual = all.expected.middle;
    formats::Tensor& rstd = actual.at("rstd");
    for (std::size_t i = 0; i < rstd.count(); ++i)
      rstd.set(i, nearest(kFp32, through(&kFp16, value_of(kFp32, rstd.at(i)))));
    expect_open(all, actual, "rstd-stored-in-fp16");
  }
}

// Of rows with one pattern of signs, where a sum in bf16 stops at 256.
TEST(LayernormFreedoms, NarrowSumsOverRowsAreADeviationWhereNoAccuracyIsStated) {
  const Prepared all = prepared("backward.fp32.library.r600n16.eps1e-5.alike");
  EXPECT_EQ("layernorm.weights.exact", all.problem->row({}).id);
  TensorSet actual = all.expected.middle;
  for (const char* name : {"dgamma", "dbeta"}) {
    formats::Tensor& sums = actual.at(name);
    for (std::size_t i = 0; i < sums.count(); ++i) {
      EXPECT_EQ(600, std::abs(value_of(kFp32, sums.at(i))));
      sums.set(i, nearest(kFp32, std::copysign(256, value_of(kFp32, sums.at(i)))));
    }
  }
  expect_open(all, actual, "weights-in-bf16");
}

}  // namespace
}  // namespace halfmark::suites::layernorm
