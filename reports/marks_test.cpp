// SPDX-License-Identifier: Apache-2.0
// Each mark is held by a clean run, and lost by each single thing that must cost it.
#include "reports/marks.hpp"

#include <gtest/gtest.h>

#include "reports/sample_record.hpp"

namespace halfmark::reports {
namespace {

using suites::Standing;
using suites::Verdict;

bool holds(const RunRecord& record, const char* id) { return find_mark(tally(record), id)->held; }

std::string first_reason(const RunRecord& record, const char* id) {
  const Scorecard card = tally(record);
  const Mark* mark = find_mark(card, id);
  return mark->reasons.empty() ? "" : mark->reasons.front();
}

TEST(Marks, CleanRunHoldsWhatWasMeasuredAndNoMore) {
  const RunRecord record = clean_record();
  EXPECT_TRUE(holds(record, "H1"));
  EXPECT_TRUE(holds(record, "H2"));
  EXPECT_EQ(first_reason(record, "H3"), "no library operator was measured");
  EXPECT_EQ(first_reason(record, "TF16"), "storage only: the driver offers no fp16 arithmetic");
}

TEST(Marks, ScopeNamesWhatIsNotSupported) {
  const Scorecard card = tally(clean_record());
  const Mark* mark = find_mark(card, "H1");
  ASSERT_EQ(mark->scope.size(), 2u);
  EXPECT_EQ(mark->scope[0], "3 cases passed");
  EXPECT_NE(mark->scope[1].find("2 cases not supported by the device: fp16.arithmetic"),
            std::string::npos);
}

// What was not asked is told as not covered.
TEST(Marks, EveryAnswerButPassCostsTheMark) {
  for (const Verdict verdict : suites::kAllVerdicts) {
    RunRecord record = clean_record();
    case_named(record, kFmaCase).verdict = verdict;
    const bool harmless = verdict == Verdict::kPass || verdict == Verdict::kNotSupported ||
                          verdict == Verdict::kSkipped;
    EXPECT_EQ(holds(record, "H1"), harmless) << name_of(verdict);
    EXPECT_TRUE(holds(record, "H2")) << name_of(verdict);
    record = clean_record();
    case_named(record, kSoftmaxCase).verdict = verdict;
    EXPECT_EQ(holds(record, "H2"), harmless) << name_of(verdict);
    EXPECT_TRUE(holds(record, "H1")) << name_of(verdict);
  }
}

TEST(Marks, WhatWasLeftOutIsInTheScope) {
  RunRecord record = clean_record();
  case_named(record, kFmaCase).verdict = Verdict::kSkipped;
  case_named(record, kFmaCase).reason = "left out: too slow";
  const std::vector<Mark> marks = tally(record).marks;
  const auto h1 = std::ranges::find(marks, "H1", &Mark::id);
  EXPECT_NE(std::ranges::find(h1->scope, "not covered: 1 case skipped: left out: too slow"),
            h1->scope.end());
}

TEST(Marks, DeviationCostsTheMarkToo) {
  RunRecord record = clean_record();
  make_violation(case_named(record, kFmaCase), "ftz");
  case_named(record, kFmaCase).standing = Standing::kDeviation;
  case_named(record, kFmaCase).permitted_by = "a clause";
  EXPECT_FALSE(holds(record, "H1"));
  EXPECT_NE(first_reason(record, "H1").find("deviates from rule"), std::string::npos);
}

TEST(Marks, CanariesCountAndMustExist) {
  for (const auto& [standing, held] :
       {std::pair("ok", true), {"unknown", true}, {"deviation", false}, {"violation", false}}) {
    RunRecord record = clean_record();
    record.canaries[0].standing = standing;
    EXPECT_EQ(holds(record, "H1"), held) << standing;
  }
  RunRecord record = clean_record();
  record.canaries.clear();
  EXPECT_EQ(first_reason(record, "H1"), "no preflight canary ran");
}

TEST(Marks, APartOfTheCasesHoldsNothing) {
  RunRecord record = clean_record();
  record.identity.filters = {"*.uniform.*"};
  EXPECT_FALSE(holds(record, "H1"));
  EXPECT_FALSE(holds(record, "H2"));
  record = clean_record();
  record.identity.shard = "1/2";
  EXPECT_FALSE(holds(record, "H1"));
  record = clean_record();
  record.completed = false;
  EXPECT_FALSE(holds(record, "H2"));
  record = clean_record();
  record.identity.suites = {"arithmetic"};
  EXPECT_TRUE(holds(record, "H1"));
  EXPECT_FALSE(holds(record, "H2"));
  record.identity.suites = {"gemm"};
  EXPECT_FALSE(holds(record, "H1"));
}

TEST(Marks, NoPassingCaseNoMark) {
  RunRecord record = clean_record();
  for (suites::CaseResult& r : record.results) {
    if (r.suite == "arithmetic") r.verdict = Verdict::kNotSupported;
  }
  EXPECT_EQ(first_reason(record, "H1"), "no case of it ran to a pass");
}

TEST(Marks, ABarredRunHoldsNothing) {
  RunRecord record = clean_record();
  record.mark_bars = {"a fault was planted"};
  for (const std::string_view id : kMarkIds) {
    EXPECT_EQ(first_reason(record, std::string(id).c_str()), "a fault was planted");
  }
}

TEST(Marks, LibraryOperatorsHoldH3WhenAllPass) {
  RunRecord record = clean_record();
  case_named(record, kGemmCase).provider = "library";
  case_named(record, kGemmCase).tier = "modelled";
  EXPECT_TRUE(holds(record, "H3"));
  make_violation(case_named(record, kGemmCase), "acc_narrow");
  EXPECT_FALSE(holds(record, "H3"));
}

TEST(Marks, ALibraryOperatorInsideABoundIsNotExplained) {
  RunRecord record = clean_record();
  case_named(record, kGemmCase).provider = "library";
  case_named(record, kGemmCase).tier = "bounded";
  EXPECT_FALSE(holds(record, "H3"));
  EXPECT_NE(std::string::npos, first_reason(record, "H3").find("explained by no arithmetic"));
}

TEST(Marks, ALibraryOperatorWithoutANamedArithmeticHoldsNoH3) {
  RunRecord record = clean_record();
  case_named(record, kGemmCase).provider = "library";
  case_named(record, kGemmCase).tier = "modelled";
  for (const char* outcome :
       {"described", "unexplained", "not_repeatable", "not_uniform", "no_answer"}) {
    record.arithmetic[0].outcome = outcome;
    EXPECT_FALSE(holds(record, "H3")) << outcome;
    EXPECT_NE(std::string::npos, first_reason(record, "H3").find("no named arithmetic explains"));
  }
}

TEST(Marks, FreshDataThatContradictAFoundArithmeticWithholdH3) {
  RunRecord record = clean_record();
  case_named(record, kGemmCase).provider = "library";
  case_named(record, kGemmCase).tier = "modelled";
  record.arithmetic[0].contradicted_cases = {kGemmCase};
  EXPECT_FALSE(holds(record, "H3"));
  EXPECT_NE(std::string::npos, first_reason(record, "H3").find("does not explain"));
}

struct Fp16Row {
  bool offered;
  Verdict verdict;
  const char* kind;
};

TEST(TrueFp16, SaysWhatTheEvidenceAllows) {
  for (const Fp16Row& row : {Fp16Row{false, Verdict::kNotSupported, "storage-only"},
                             Fp16Row{true, Verdict::kNotSupported, "undecided"},
                             Fp16Row{true, Verdict::kFail, "contradicted"},
                             Fp16Row{true, Verdict::kCrash, "contradicted"},
                             Fp16Row{true, Verdict::kPass, "consistent"}}) {
    RunRecord record = clean_record();
    record.device["promises"][1]["offered"] = row.offered;
    case_named(record, "arithmetic.fp16.add.portable.n4096.uniform.s7").verdict = row.verdict;
    const Scorecard card = tally(record);
    EXPECT_EQ(card.true_fp16.kind, row.kind);
    EXPECT_FALSE(find_mark(card, "TF16")->held);
  }
  RunRecord record = clean_record();
  record.device["promises"][0]["offered"] = false;
  EXPECT_EQ(tally(record).true_fp16.kind, "not-offered");
}

TEST(TrueFp16, ConversionsAreNoEvidenceOfArithmetic) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.results.push_back(passing_case("arithmetic.fp16.to_fp32.portable.n65536.all.s7"));
  EXPECT_EQ(tally(record).true_fp16.kind, "undecided");
}

}  // namespace
}  // namespace halfmark::reports
