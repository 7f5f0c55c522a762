// SPDX-License-Identifier: Apache-2.0
// A clean run holds each mark, and each defect that must cost a mark does so by itself.
#include "reports/marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/testing/sample_record.hpp"
#include "reports/throughput.hpp"

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
  EXPECT_NE(mark->scope[1].find("not supported (2 cases): fp16.arithmetic"), std::string::npos);
}

// The scope names the cases that the device did not have to answer.
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
  EXPECT_NE(std::ranges::find(h1->scope, "skipped (1 case): left out: too slow"), h1->scope.end());
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

TEST(Marks, SilentCanariesAreInTheScope) {
  RunRecord record = clean_record();
  for (const char* line :
       {"not covered: 1 canary gave no answer", "not covered: 2 canaries gave no answer"}) {
    std::ranges::find(record.canaries, "ok", &Canary::standing)->standing = "unknown";
    const Scorecard card = tally(record);
    EXPECT_EQ(std::ranges::count(find_mark(card, "H1")->scope, line), 1) << line;
  }
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
  EXPECT_TRUE(holds(record, "H2")) << "nothing but times is missing";
  EXPECT_FALSE(holds(record, "TF16"));
  record.doubts = {"the device was replaced"};
  EXPECT_FALSE(holds(record, "H2"));
  record.doubts.clear();
  record.results.pop_back();
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
  EXPECT_EQ(first_reason(record, "H1"), "no case passed");
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
  EXPECT_NE(std::string::npos, first_reason(record, "H3").find("not explained by any arithmetic"));
}

// The suite gemm names the arithmetic of its products.
TEST(Marks, AStepInsideTheBoundsOfItsProductsWithholdsNothing) {
  RunRecord record = clean_record();
  case_named(record, kGemmCase).provider = "library";
  case_named(record, kGemmCase).tier = "modelled";
  suites::CaseResult& step = case_named(record, kSoftmaxCase);
  step.suite = "loss_scaled_backward";
  step.provider = "library";
  step.tier = "bounded";
  EXPECT_TRUE(holds(record, "H3"));
  const Scorecard card = tally(record);
  EXPECT_TRUE(std::ranges::any_of(find_mark(card, "H3")->scope, [](const std::string& line) {
    return line.starts_with("1 case of a training step: ");
  }));
  make_violation(step, "amp_state");
  EXPECT_FALSE(holds(record, "H3"));
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

constexpr const char* kFp16Fma = "rates.fma.fp16.portable.w2.n65536.chain";

// Like fp16_record(), but fma is native, too.
RunRecord native_record() {
  RunRecord record = fp16_record();
  ThroughputRun& fma = run_named(record, kFp16Fma);
  for (std::uint64_t& ns : fma.samples_ns) ns = ns * 14 / 137;
  fma.half_work_ns /= 10;
  add_duel(fma, run_named(record, "rates.fma.fp32.portable.w2.n65536.chain"), 1.86);
  fma.conditions.erase("instructions");
  return record;
}

const std::vector<std::string>& fp16_reasons(const Scorecard& card) {
  return find_mark(card, "TF16")->reasons;
}

TEST(MarkTF16, IsHeldWhereFourOperationsAreNativeAndGain) {
  const Scorecard card = tally(native_record());
  const Mark* mark = find_mark(card, "TF16");
  EXPECT_TRUE(mark->held) << mark->reasons.front();
  ASSERT_EQ(4u, mark->scope.size());
  EXPECT_EQ("add: native, 1.86 x of fp32 (w2)", mark->scope[0]);
  EXPECT_EQ(
      "gemm: native, 1.89 x of fp32 (library fp16.acc-fp32.out-fp16 nn.m2048n2048k2048.plain)",
      mark->scope[3]);
}

TEST(MarkTF16, NamesTheOperationThatIsNotNative) {
  const Scorecard card = tally(fp16_record());
  EXPECT_EQ(std::vector<std::string>{"fma: emulated, 0.19 x of fp32"}, fp16_reasons(card));
  EXPECT_EQ(3u, find_mark(card, "TF16")->scope.size());
}

TEST(MarkTF16, NamesTheGainThatIsTooSmall) {
  RunRecord record = native_record();
  for (const char* width : {"w1", "w2"}) {
    ThroughputRun& add =
        run_named(record, std::string("rates.add.fp16.portable.") + width + ".n65536.chain");
    for (std::uint64_t& ns : add.samples_ns) ns = ns * 155 / 100;
    add.half_work_ns = add.half_work_ns * 155 / 100;
    add.duel.reset();
    add.conditions["instructions"] = {{"fp16", 8}, {"bf16", 0}, {"fp32", 0}, {"conversions", 0}};
  }
  EXPECT_EQ(std::vector<std::string>{"add: native, gain 1.2 x is below 1.5 x"},
            fp16_reasons(tally(record)));
}

TEST(MarkTF16, SaysThatClocksChangedWhereGainsLack) {
  RunRecord record = native_record();
  for (ThroughputRun& run : record.throughput) {
    run.duel.reset();
    run.conditions["instructions"] = {{"fp16", 8}, {"bf16", 0}, {"fp32", 0}, {"conversions", 0}};
    if (!is_again(run)) continue;
    for (std::uint64_t& ns : run.samples_ns) ns = ns * 12 / 10;
  }
  EXPECT_EQ("add: native, and no rate of fp32 to compare with, since clocks changed during the run",
            fp16_reasons(tally(record)).front());
}

TEST(MarkTF16, NeedsATimeOfEachOfThem) {
  RunRecord record = native_record();
  for (ThroughputRun& run : record.throughput) {
    if (run.operation == "chain.mul") run.doubt = "the clock stood still";
  }
  EXPECT_EQ(std::vector<std::string>{"mul: no time counts"}, fp16_reasons(tally(record)));
}

TEST(MarkTF16, NeedsRightBitsAndAWholeRun) {
  RunRecord record = native_record();
  make_violation(case_named(record, "arithmetic.fp16.add.portable.n4096.uniform.s7"), "ftz");
  EXPECT_EQ(std::vector<std::string>{"1 case of fp16 arithmetic did not pass"},
            fp16_reasons(tally(record)));
  record = native_record();
  record.completed = false;
  EXPECT_EQ(std::vector<std::string>{"the run is incomplete"}, fp16_reasons(tally(record)));
  record = native_record();
  record.identity.filters = {"*.w2.*"};
  EXPECT_FALSE(holds(record, "TF16"));
  record = native_record();
  record.identity.suites = {"gemm", "rates"};
  EXPECT_TRUE(holds(record, "TF16"));
}

}  // namespace
}  // namespace halfmark::reports
