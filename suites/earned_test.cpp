// SPDX-License-Identifier: Apache-2.0
// Every case of level smoke whose row has a bound, without a device: what lies inside the bound is
// the operator's answer to these operands and to no others. Bits need no such test: only what
// equals them passes. The few cases that cannot tell are listed here; a run calls them untrusted.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/judge/judge.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

// A sum that cancels is smaller than the error that any order of it may have, and fp16 sums of more
// than a few terms may be off by more than 2^-8: only their arithmetic explains them.
const std::vector<std::string> kUntrusted = {
    "gemm.fp16.acc-fp16.out-fp16.library.nn.m64n64k64.plain.normal.s1",
    "gemm.fp16.acc-fp16.out-fp16.library.nt.m17n33k33.abhalf.normal.s1",
    "gemm.fp16.acc-fp16.out-fp16.library.nt.m17n33k33.plain.normal.s1",
    "gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.cancel.s1"};

// Rows of them have the answer that NaN and infinity have, whatever else they hold, or their few
// numbers have the same largest one.
bool has_one_answer(const Case& c) {
  constexpr std::string_view kFills[] = {"special", "void", "nan", "infinity", "negative"};
  return std::find(std::begin(kFills), std::end(kFills), c.word("fill")) != std::end(kFills);
}

// What the call before left, had it been the same case with other operands; empty where it has no
// others.
TensorSet answer_to_others(const Suite& suite, const Case& c, const TensorSet& inputs) {
  Case other = c;
  ++other.seed;
  const TensorSet others = suite.bind(other)->inputs();
  return others == inputs ? TensorSet{} : suite.bind(other)->expect(others).middle;
}

// Of all cases with a bound.
struct Outcomes {
  int cases = 0, others = 0;
  std::vector<std::string> untrusted, reasons;  // what unearned() says, and why
  std::vector<std::string> right_for_others;    // the bound holds their answer, too
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
