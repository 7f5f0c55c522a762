// SPDX-License-Identifier: Apache-2.0
#include "reports/findings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/testing/sample_record.hpp"
#include "suites/core/case/finding_classes.hpp"

namespace halfmark::reports {
namespace {

using suites::Standing;

TEST(Findings, ViolationsFirstThenGraverThenByName) {
  RunRecord record = clean_record();
  make_violation(case_named(record, kAddCase), "rounding");
  make_violation(case_named(record, kFmaCase), "rounding");
  make_violation(case_named(record, kGemmCase), "edge_tile");
  make_violation(case_named(record, kSoftmaxCase), "nan_inf");
  case_named(record, kAddCase).standing = Standing::kDeviation;
  case_named(record, kAddCase).permitted_by = "a clause";
  const Scorecard card = tally(record);
  ASSERT_EQ(card.findings.size(), 4u);
  const char* const expected[] = {kSoftmaxCase, kGemmCase, kFmaCase, kAddCase};
  const char* const severities[] = {"critical", "major", "minor", "note"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(card.findings[i].result.name, expected[i]);
    EXPECT_EQ(card.findings[i].severity, severities[i]);
    EXPECT_EQ(card.findings[i].id, fmt::format("F00{}", i + 1));
  }
}

TEST(Findings, ReplayLineNamesCaseAndDevice) {
  const Scorecard card = tally(sample_record());
  EXPECT_EQ(card.findings[0].replay, fmt::format("halfmark replay {} --device toy:0", kGemmCase));
}

TEST(Findings, OperatorIsTheOneThatTheSuiteNames) {
  RunRecord record = sample_record();
  case_named(record, kGemmCase).operation = "products";
  const Scorecard card = tally(record);
  EXPECT_EQ("products", card.findings[0].result.operation);
  EXPECT_EQ("fp32.fma", card.findings[1].result.operation);
}

TEST(Findings, EveryClassHasASeverityAndAMeaning) {
  for (const suites::FindingClass& row : suites::kFindingClasses) {
    EXPECT_NE(severity_of(Standing::kViolation, row.name), "note");
    EXPECT_EQ(severity_of(Standing::kDeviation, row.name), "note");
    EXPECT_EQ(meaning_of(row.name), row.meaning);
  }
  EXPECT_EQ(meaning_of("no such class"), "");
}

TEST(Findings, GroupsOfOneCause) {
  const Scorecard card = tally(sample_record());
  const auto groups = group_findings(card);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].all.size(), 1u);
  EXPECT_EQ(groups[1].all.size(), 2u);
  EXPECT_EQ(list_other_ids(groups[1], 8), "F003");
  EXPECT_EQ(list_other_ids(groups[1], 0), " and 1 more");
}

TEST(Findings, ExactExplanationLeads) {
  Finding finding;
  EXPECT_EQ(leading_explanation(finding), nullptr);
  finding.result.mismatches = 4;
  finding.result.explanations = {{"near", "ftz", "nearly", {}, 4, 1},
                                 {"right", "ftz", "exactly", {}, 4, 0}};
  EXPECT_EQ(leading_explanation(finding)->hypothesis, "right");
  finding.result.explanations.pop_back();
  EXPECT_EQ(leading_explanation(finding)->hypothesis, "near");
}

TEST(Findings, HundredPercentMeansAll) {
  suites::Explanation e;
  e.explained = 999;
  EXPECT_EQ(explained_percent(e, 1000), 99u);
  e.explained = 1000;
  EXPECT_EQ(explained_percent(e, 1000), 100u);
  EXPECT_EQ(explained_percent(e, 0), 0u);
  e.explained = ~0ull;
  EXPECT_EQ(explained_percent(e, ~0ull), 100u);
}

}  // namespace
}  // namespace halfmark::reports
