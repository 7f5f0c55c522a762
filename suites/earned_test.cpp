// SPDX-License-Identifier: Apache-2.0
// Every case of level smoke whose row has a bound, without a device: what lies inside the bound is
// the operator's answer to these operands and to no others. Bits need no such test: only what
// equals them passes. The few cases that cannot tell are listed here; a run calls them untrusted.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/judge.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

// A sum that cancels is smaller than the error that any order of it may have: only its arithmetic
// explains it.
const std::vector<std::string> kUntrusted = {
    "gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.cancel.s1"};

// Rows of them have the answer that NaN and infinity have, whatever else they hold, or their few
// numbers have the same largest one.
bool has_one_answer(const Case& c) {
  constexpr std::string_view kFills[] = {"special", "void", "nan", "infinity", "negative"};
  return std::find(std::begin(kFills), std::end(kFills), c.word("fill")) != std::end(kFills);
}

struct Bounded {
  TensorSet inputs, expected;
  std::optional<Enclosure> enclosure;
};

Bounded evaluated(const Suite& suite, const Case& c) {
  Bounded b;
  b.inputs = suite.inputs(c);
  b.enclosure = suite.enclose(c, b.inputs);
  if (b.enclosure) b.expected = suite.refer(c, b.inputs, {});
  return b;
}

template <typename Check>
int each_bounded_case(Check check) {
  int cases = 0;
  for (const Suite* suite : all_suites()) {
    if (suite->enclose == nullptr) continue;
    for (const Case& c : suite->cases(Level::kSmoke, 1)) {
      const Bounded b = evaluated(*suite, c);
      if (!b.enclosure) continue;
      check(*suite, c, b, Allowance{b.expected, 0, &*b.enclosure});
      ++cases;
    }
  }
  return cases;
}

TEST(Earned, BoundsHoldNoImpostorAndNoScaledAnswerButInTheListedCases) {
  std::vector<std::string> untrusted;
  const int cases =
      each_bounded_case([&](const Suite&, const Case& c, const Bounded& b, const Allowance& a) {
        const std::string why = unearned(b.inputs, a);
        if (why.empty()) return;
        untrusted.push_back(print(c));
        if (std::find(kUntrusted.begin(), kUntrusted.end(), print(c)) == kUntrusted.end())
          ADD_FAILURE() << print(c) << ": " << why;
      });
  std::sort(untrusted.begin(), untrusted.end());
  EXPECT_EQ(kUntrusted, untrusted);
  EXPECT_LT(30, cases);
}

// What the call before left, had it been the same case with other operands.
TEST(Earned, BoundsDoNotHoldTheAnswerToOtherOperands) {
  each_bounded_case([](const Suite& suite, const Case& c, const Bounded& b, const Allowance& a) {
    Case other = c;
    ++other.seed;
    const bool sweep = suite.inputs(other) == b.inputs;  // it has no other operands
    const std::string name = print(c);
    const bool listed = std::find(kUntrusted.begin(), kUntrusted.end(), name) != kUntrusted.end();
    if (sweep || listed || has_one_answer(c)) return;
    EXPECT_LT(0u, compare(a, evaluated(suite, other).expected).mismatches) << name;
  });
}

}  // namespace
}  // namespace halfmark::suites
