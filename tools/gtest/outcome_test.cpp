// SPDX-License-Identifier: Apache-2.0
#include "tools/gtest/outcome.hpp"

#include <gtest/gtest.h>

namespace halfmark::tools {
namespace {

using suites::CaseResult;
using suites::Standing;
using suites::Verdict;

CaseResult wrong(Standing standing) {
  CaseResult result;
  result.verdict = Verdict::kFail;
  result.standing = standing;
  result.reason = "1 of 4 elements differ";
  result.rule = "arithmetic.add.fp32";
  result.wrong.push_back({.tensor = "d",
                          .index = 3,
                          .operands = {{"a", "3f800000", "0x1p+0"}},
                          .expected_hex = "40000000",
                          .expected_value = "0x1p+1",
                          .actual_hex = "40000001",
                          .actual_value = "0x1.000002p+1",
                          .ulps = 1});
  return result;
}

CaseResult with(Verdict verdict) {
  CaseResult result;
  result.verdict = verdict;
  result.reason = "because";
  return result;
}

TEST(Outcome, OfAPassIsSilent) {
  const Outcome outcome = outcome_of(with(Verdict::kPass), "again", false);
  EXPECT_EQ(outcome.kind, OutcomeKind::kSuccess);
  EXPECT_EQ(outcome.text, "");
}

TEST(Outcome, OfAViolationTellsRuleFirstWrongElementAndReplay) {
  const Outcome outcome = outcome_of(wrong(Standing::kViolation), "halfmark replay x", false);
  EXPECT_EQ(outcome.kind, OutcomeKind::kFailure);
  for (const char* part :
       {"violation: 1 of 4 elements differ", "d[3]: expected 40000000", "actual 40000001",
        "a = 3f800000", "rule     arithmetic.add.fp32", "again    halfmark replay x"}) {
    EXPECT_NE(outcome.text.find(part), std::string::npos) << part << "\n" << outcome.text;
  }
}

TEST(Outcome, OfADeviationIsANoteUnlessForbidden) {
  EXPECT_EQ(outcome_of(wrong(Standing::kDeviation), "", false).kind, OutcomeKind::kNote);
  EXPECT_EQ(outcome_of(wrong(Standing::kDeviation), "", true).kind, OutcomeKind::kFailure);
}

TEST(Outcome, OnlyWhatWasNotAskedIsSkipped) {
  for (const Verdict verdict : suites::kAllVerdicts) {
    if (verdict == Verdict::kPass) continue;
    const bool skipped = verdict == Verdict::kNotSupported || verdict == Verdict::kSkipped;
    const Outcome outcome = outcome_of(with(verdict), "", false);
    EXPECT_EQ(outcome.kind, skipped ? OutcomeKind::kSkip : OutcomeKind::kFailure)
        << name_of(verdict);
    EXPECT_NE(outcome.text.find("because"), std::string::npos);
  }
}

}  // namespace
}  // namespace halfmark::tools
