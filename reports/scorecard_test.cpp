// SPDX-License-Identifier: Apache-2.0
#include "reports/scorecard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "reports/exit_codes.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

using suites::Verdict;

TEST(Scorecard, JsonRoundTripKeepsEveryByte) {
  for (const RunRecord& record : {sample_record(), clean_record()}) {
    const Scorecard card = tally(record);
    EXPECT_EQ(print_json(scorecard_from_json(nlohmann::json::parse(print_json(card)))),
              print_json(card));
  }
}

TEST(Scorecard, OrderOfArrivalDoesNotMatter) {
  RunRecord record = sample_record();
  const std::string expected = print_json(tally(record));
  std::mt19937 shuffle(7);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(record.results.begin(), record.results.end(), shuffle);
    std::shuffle(record.canaries.begin(), record.canaries.end(), shuffle);
    std::shuffle(record.throughput.begin(), record.throughput.end(), shuffle);
    nlohmann::json actual = nlohmann::json::parse(print_json(tally(record)));
    EXPECT_EQ(actual["digest"], nlohmann::json::parse(expected)["digest"]);
    actual.erase("times");  // sums of floats depend on their order in the last bit
    nlohmann::json wanted = nlohmann::json::parse(expected);
    wanted.erase("times");
    EXPECT_EQ(actual, wanted);
  }
}

TEST(Scorecard, CountsPerVerdictAndTier) {
  const Scorecard card = tally(sample_record());
  ASSERT_EQ(card.suites.size(), 4u);
  const SuiteTally& arithmetic = card.suites[0];
  EXPECT_EQ(arithmetic.name, "arithmetic");
  EXPECT_EQ(arithmetic.verdicts.total(), 6u);
  EXPECT_EQ(arithmetic.verdicts[Verdict::kFail], 2u);
  EXPECT_EQ(arithmetic.tiers.at("exact"), arithmetic.verdicts);
  EXPECT_EQ(total_verdicts(card)[Verdict::kHang], 1u);
}

TEST(Scorecard, IncompleteRunsSayWhy) {
  RunRecord record = clean_record();
  EXPECT_TRUE(tally(record).complete);
  record.completed = false;
  EXPECT_EQ(tally(record).incomplete_reasons.front(),
            "the run was ended while it measured speed, after its last case");
  EXPECT_FALSE(tally(record).complete);
  record.results.pop_back();
  EXPECT_EQ(tally(record).incomplete_reasons.front(), "the run was ended before its last case");
  record = clean_record();
  record.results.pop_back();
  EXPECT_EQ(tally(record).incomplete_reasons.front(), "9 of 10 cases have a result");
  record = clean_record();
  record.results.back() = record.results.front();
  EXPECT_EQ(tally(record).incomplete_reasons.front(),
            std::string("case ") + kAddCase + " has more than one result");
  record = clean_record();
  for (suites::CaseResult& r : record.results) r.verdict = Verdict::kSkipped;
  EXPECT_EQ(tally(record).incomplete_reasons.front(), "no case gave an answer");
  record.results.clear();
  record.expected_cases = 0;
  EXPECT_FALSE(tally(record).complete);
}

int code_of(const RunRecord& record, std::vector<std::string> required = {}) {
  return exit_code(tally(record), required);
}

TEST(ExitCode, CleanRunConformsAndRequiredMarksCount) {
  EXPECT_EQ(code_of(clean_record()), 0);
  EXPECT_EQ(code_of(clean_record(), {"H1", "H2"}), 0);
  EXPECT_EQ(code_of(clean_record(), {"H1", "H3"}), 1);
  EXPECT_EQ(code_of(clean_record(), {"H9"}), 1);
}

TEST(ExitCode, DeviationFailsOnlyWhereItsMarkIsRequired) {
  RunRecord record = clean_record();
  suites::CaseResult& fma = case_named(record, kFmaCase);
  make_violation(fma, "ftz");
  fma.standing = suites::Standing::kDeviation;
  fma.permitted_by = "a clause";
  EXPECT_EQ(code_of(record), 0);
  EXPECT_EQ(code_of(record, {"H2"}), 0);
  EXPECT_EQ(code_of(record, {"H1"}), 1);
}

TEST(ExitCode, ViolationsAndDeadCasesDoNotConform) {
  RunRecord record = clean_record();
  make_violation(case_named(record, kFmaCase), "rounding");
  EXPECT_EQ(code_of(record), 1);
  record.completed = false;
  EXPECT_EQ(code_of(record), 1);
  for (const Verdict verdict :
       {Verdict::kError, Verdict::kCrash, Verdict::kHang, Verdict::kDeviceLost}) {
    record = clean_record();
    case_named(record, kFmaCase).verdict = verdict;
    EXPECT_EQ(code_of(record), 1) << name_of(verdict);
  }
  record = clean_record();
  record.canaries[0].standing = "violation";
  EXPECT_EQ(code_of(record), 1);
  record = clean_record();
  case_named(record, kFmaCase).verdict =
      Verdict::kFail;  // no standing given: counts as a violation
  EXPECT_EQ(code_of(record), 1);
}

TEST(ExitCode, PartialRunIsNoAnswer) {
  RunRecord record = clean_record();
  record.completed = false;
  EXPECT_EQ(code_of(record), 4);
  EXPECT_EQ(code_of(record, {"H1"}), 4);
}

TEST(Scorecard, NotSupportedSkippedAndUntrustedAreListedAsNotAsserted) {
  const Scorecard card = tally(sample_record());
  ASSERT_EQ(card.not_asserted.size(), 3u);
  EXPECT_EQ(card.not_asserted[1].subject, "arithmetic: 2 cases");
  EXPECT_EQ(card.not_asserted[2].reason,
            "untrusted: a kernel that writes zeros would pass as well");
}

// Of two cases of one row the card reports the farther one, and adds up the numbers of results.
TEST(Scorecard, TheFarthestOfARowIsTold) {
  RunRecord record = clean_record();
  for (suites::CaseResult& r : record.results) {
    if (r.suite != "arithmetic" || r.verdict != Verdict::kPass) continue;
    r.accuracy = case_named(record, kSoftmaxCase).accuracy;
    r.accuracy->thousandths = r.name == record.results[1].name ? 1700 : 600;
    r.accuracy->results = 10;
  }
  const Scorecard card = tally(record);
  ASSERT_EQ(card.accuracy.size(), 2u) << "and that of the sample's softmax";
  EXPECT_EQ(card.accuracy[0].rule, record.results[1].rule);
  EXPECT_EQ(card.accuracy[0].case_name, record.results[1].name);
  EXPECT_EQ(card.accuracy[0].farthest.thousandths, 1700u);
  EXPECT_EQ(card.accuracy[0].farthest.results, 30u);
}

TEST(ExitCodes, AnAnswerOutranksWhatIsMissing) {
  EXPECT_EQ(kExitDoesNotConform, worse(kExitDoesNotConform, kExitIncomplete));
  EXPECT_EQ(kExitDoesNotConform, worse(kExitNoAnswer, kExitDoesNotConform));
  EXPECT_EQ(kExitIncomplete, worse(kExitIncomplete, kExitConforms));
  EXPECT_EQ(kExitIncomplete, worse(kExitNoAnswer, kExitIncomplete));
}

}  // namespace
}  // namespace halfmark::reports
