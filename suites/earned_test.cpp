// SPDX-License-Identifier: Apache-2.0
// For every case of level smoke whose row has a bound, without a device: only the operator's
// results for these operands lie inside the bound, not its results for others. Exact rows need no
// such test, since only equal bits pass. The few cases whose bound cannot distinguish them are
// listed here; a run reports them as untrusted.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/judge/judge.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

// A sum that cancels is smaller than the error bound of any order of it, and fp16 sums of more than
// a few terms may be off by more than 2^-8: only their identified arithmetic can explain them.
const std::vector<std::string> kUntrusted = {
    "gemm.fp16.acc-fp16.out-fp16.library.nn.m64n64k64.plain.normal.s1",
    "gemm.fp16.acc-fp16.out-fp16.library.nt.m17n33k33.abhalf.normal.s1",
    "gemm.fp16.acc-fp16.out-fp16.library.nt.m17n33k33.plain.normal.s1",
    "gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.cancel.s1"};

// Rows of these fills contain NaN or infinity, which determines the result, or their few numbers
// share the same maximum.
bool has_one_answer(const Case& c) {
  constexpr std::string_view kFills[] = {"special", "void", "nan", "infinity", "negative"};
  return std::find(std::begin(kFills), std::end(kFills), c.word("fill")) != std::end(kFills);
}

// The result of a previous call of the same case with other operands; empty if the case has
// no others.
TensorSet answer_to_others(const Suite& suite, const Case& c, const TensorSet& inputs) {
  Case other = c;
  ++other.seed;
  const TensorSet others = suite.bind(other)->inputs();
  return others == inputs ? TensorSet{} : suite.bind(other)->expect(others).middle;
}

// Over all cases with a bound.
struct Outcomes {
  int cases = 0, others = 0;
  std::vector<std::string> untrusted, reasons;  // what unearned() reports, and why
  std::vector<std::string> right_for_others;    // the bound contains their results, too
};

void weigh(Outcomes& outcomes, const Suite& suite, const Case& c) {
  const TensorSet inputs = suite.bind(c)->inputs();
  const Expectation expected = suite.bind(c)->expect(inputs);
  if (!expected.enclosure) return;
  ++outcomes.cases;
  const Allowance allowed = allowance_of(expected);
  const std::string name = print(c);
  if (const std::string why = unearned(inputs, allowed); !why.empty()) {
    outcomes.untrusted.push_back(name);
    outcomes.reasons.push_back(name + ": " + why);
  }
  const bool listed = std::find(kUntrusted.begin(), kUntrusted.end(), name) != kUntrusted.end();
  if (listed || has_one_answer(c)) return;
  const TensorSet others = answer_to_others(suite, c, inputs);
  if (others.empty()) return;
  ++outcomes.others;
  if (compare(allowed, others).mismatches == 0) outcomes.right_for_others.push_back(name);
}

const Outcomes& outcomes() {
  static const Outcomes all = [] {
    Outcomes result;
    for (const Suite* suite : all_suites()) {
      for (const Case& c : suite->cases(Level::kSmoke, 1)) weigh(result, *suite, c);
    }
    std::sort(result.untrusted.begin(), result.untrusted.end());
    return result;
  }();
  return all;
}

TEST(Earned, BoundsHoldNoImpostorAndNoScaledAnswerButInTheListedCases) {
  EXPECT_EQ(kUntrusted, outcomes().untrusted) << testing::PrintToString(outcomes().reasons);
  EXPECT_LT(30, outcomes().cases);
}

TEST(Earned, BoundsDoNotHoldTheAnswerToOtherOperands) {
  EXPECT_EQ(std::vector<std::string>{}, outcomes().right_for_others);
  EXPECT_LT(30, outcomes().others);
}

}  // namespace
}  // namespace halfmark::suites
