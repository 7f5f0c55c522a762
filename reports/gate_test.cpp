// SPDX-License-Identifier: Apache-2.0
#include "reports/gate.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using suites::Standing;
using suites::Verdict;

constexpr const char* kToday = "2025-11-21";

GateResult gate_of(const RunRecord& baseline, const RunRecord& candidate,
                   const std::vector<Waiver>& waivers = {}) {
  return gate(tally(baseline), tally(candidate), waivers, kToday);
}

std::vector<std::string> subjects(const GateResult& result, GateItemKind kind) {
  std::vector<std::string> names;
  for (const GateItem& item : result.items) {
    if (item.kind == kind) names.push_back(item.subject);
  }
  return names;
}

Waiver waiver(const std::string& glob, const std::string& expires = "2025-12-31") {
  return {.case_glob = glob, .rule = "", .owner = "Ada", .reason = "known", .expires = expires};
}

RunRecord with_violation() {
  RunRecord record = clean_record();
  make_violation(case_named(record, kGemmCase), "edge_tile");
  return record;
}

TEST(Gate, SameCardPassesEvenWithOldViolations) {
  EXPECT_EQ(gate_of(clean_record(), clean_record()).exit_code(), 0);
  const GateResult result = gate_of(sample_record(), sample_record());
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_TRUE(result.items.empty());
}

TEST(Gate, NewViolationFailsOnceAndTakesTheMark) {
  const GateResult result = gate_of(clean_record(), with_violation());
  EXPECT_EQ(result.exit_code(), 1);
  EXPECT_EQ(subjects(result, GateItemKind::kNewViolation), std::vector<std::string>{kGemmCase});
  EXPECT_TRUE(subjects(result, GateItemKind::kRegression).empty());
  EXPECT_EQ(subjects(result, GateItemKind::kLostMark), std::vector<std::string>{"mark.H2"});
  EXPECT_NE(result.items[0].text.find("halfmark replay"), std::string::npos);
}

TEST(Gate, ViolationInANewCaseFails) {
  RunRecord record = clean_record();
  record.results.push_back(passing_case("gemm.fp16.acc-fp32.portable.tn.m1n1k1.integers.s7"));
  make_violation(record.results.back(), "layout");
  record.expected_cases += 1;
  EXPECT_EQ(subjects(gate_of(clean_record(), record), GateItemKind::kNewViolation).size(), 1u);
}

TEST(Gate, ViolationOfAnotherRuleInAFailingCaseIsNew) {
  RunRecord record = with_violation();
  case_named(record, kGemmCase).rule = "gemm.exact";
  EXPECT_EQ(gate_of(with_violation(), record).exit_code(), 1);
}

TEST(Gate, DeviationTurnedViolationIsNew) {
  RunRecord before = with_violation();
  case_named(before, kGemmCase).standing = Standing::kDeviation;
  case_named(before, kGemmCase).permitted_by = "a clause";
  EXPECT_EQ(gate_of(before, with_violation()).exit_code(), 1);
  EXPECT_EQ(gate_of(with_violation(), before).exit_code(), 0);
}

TEST(Gate, EveryVerdictButPassIsARegression) {
  for (const Verdict verdict : suites::kAllVerdicts) {
    RunRecord record = clean_record();
    case_named(record, kSoftmaxCase).verdict = verdict;
    const GateResult result = gate_of(clean_record(), record);
    EXPECT_EQ(result.exit_code(), verdict == Verdict::kPass ? 0 : 1) << name_of(verdict);
  }
}

TEST(Gate, ADeathIsARegressionUnlessTheCaseDiedBefore) {
  for (const Verdict before : suites::kAllVerdicts) {
    for (const Verdict now : suites::kAllVerdicts) {
      if (!suites::died(now)) continue;
      RunRecord baseline = clean_record(), candidate = clean_record();
      case_named(baseline, kSoftmaxCase).verdict = before;
      case_named(candidate, kSoftmaxCase).verdict = now;
      const GateResult result = gate_of(baseline, candidate);
      EXPECT_EQ(subjects(result, GateItemKind::kRegression).size(), suites::died(before) ? 0u : 1u)
          << name_of(before) << " -> " << name_of(now);
    }
  }
}

TEST(Gate, ADeathOfANewCaseIsARegression) {
  RunRecord record = clean_record();
  record.results.push_back(passing_case("softmax.fp16.portable.r8c64.uniform.s7"));
  record.expected_cases += 1;
  EXPECT_EQ(gate_of(clean_record(), record).exit_code(), 0);
  record.results.back().verdict = Verdict::kCrash;
  record.results.back().reason = "signal 11";
  const GateResult result = gate_of(clean_record(), record, {waiver("mark.*")});
  EXPECT_EQ(result.exit_code(), 1);
  EXPECT_EQ(subjects(result, GateItemKind::kRegression),
            std::vector<std::string>{record.results.back().name});
  EXPECT_EQ(result.items[0].text, "not in the baseline, now crash: signal 11");
}

TEST(Gate, CanaryThatTurnsViolationFails) {
  RunRecord record = clean_record();
  record.canaries[0].standing = "violation";
  const GateResult result = gate_of(clean_record(), record);
  EXPECT_EQ(subjects(result, GateItemKind::kNewViolation),
            std::vector<std::string>{"canary.fp32.subnormals.add"});
  EXPECT_EQ(gate_of(record, record).exit_code(), 0);
}

TEST(Gate, MissingCaseFailsACompleteRunAndLeavesAPartialOneOpen) {
  RunRecord record = clean_record();
  record.results.erase(record.results.begin());
  record.expected_cases = record.results.size();
  const GateResult complete = gate_of(clean_record(), record);
  EXPECT_EQ(complete.exit_code(), 1);
  EXPECT_EQ(subjects(complete, GateItemKind::kMissingCase), std::vector<std::string>{kAddCase});
  record.completed = false;
  EXPECT_EQ(gate_of(clean_record(), record).exit_code(), 4);
  make_violation(case_named(record, kGemmCase), "edge_tile");
  EXPECT_EQ(gate_of(clean_record(), record).exit_code(), 1);
}

TEST(Gate, PartialRunNeverPasses) {
  RunRecord record = clean_record();
  record.completed = false;
  EXPECT_EQ(gate_of(clean_record(), record).exit_code(), 4);
  EXPECT_EQ(gate_of(clean_record(), record, {waiver("*")}).exit_code(), 4);
}

// What the baseline lacks cannot be known to be no worse.
TEST(Gate, APartialBaselinePassesNothingAndSaysSo) {
  RunRecord baseline = clean_record();
  baseline.results.resize(3);
  baseline.completed = false;
  const GateResult open = gate_of(baseline, clean_record());
  EXPECT_EQ(4, open.exit_code());
  EXPECT_EQ(
      "the baseline is partial (the run was ended before its last case; 3 of 10 cases have a "
      "result): 7 cases of the new run are not in it",
      open.notes.at(0));
  const auto first_line = [](const GateResult& result) {
    std::ostringstream console;
    write_gate_console(result, console);
    return console.str().substr(0, console.str().find('\n'));
  };
  EXPECT_EQ("Gate undecided: the baseline is partial; 3 cases compared", first_line(open));
  EXPECT_EQ("Gate undecided: both runs are partial; 3 cases compared",
            first_line(gate_of(baseline, baseline)));
  const GateResult proven = gate_of(baseline, with_violation());
  EXPECT_EQ(1, proven.exit_code());
  EXPECT_EQ("Gate fails: 3 cases compared with a partial baseline, 1 failure", first_line(proven));
}

TEST(Gate, NotesNameAnotherSelection) {
  RunRecord baseline = clean_record(), candidate = clean_record();
  baseline.identity.filters = {"gemm.*", "softmax.*"};
  baseline.identity.shard = "1/2";
  candidate.identity.suites = {"gemm"};
  EXPECT_EQ((std::vector<std::string>{"suites: all before, gemm now",
                                      "cases matching: gemm.*, softmax.* before, all now",
                                      "shard: 1/2 before, all now"}),
            gate_of(baseline, candidate).notes);
}

// All cases passed when they were repeated.
TEST(Gate, MoreLossesThanAllowedAreARegressionUnlessTheBaselineHadThem) {
  RunRecord record = clean_record();
  record.environment["incidents"] = json::array({{{"lost", true}}});
  EXPECT_EQ(0, gate_of(clean_record(), record).exit_code());
  record.environment["incidents"].push_back({{"lost", true}});
  const GateResult result = gate_of(clean_record(), record, {waiver("mark.*")});
  EXPECT_EQ(1, result.exit_code());
  EXPECT_EQ(std::vector<std::string>{"losses"}, subjects(result, GateItemKind::kRegression));
  EXPECT_EQ(0, gate_of(record, record).exit_code());
}

TEST(Gate, CardsThatAskedOtherQuestionsAreNotCompared) {
  RunRecord record = clean_record();
  record.identity.level = "full";
  const GateResult result = gate_of(clean_record(), record);
  EXPECT_EQ(result.exit_code(), 2);
  EXPECT_TRUE(result.items.empty());
  std::ostringstream console;
  write_gate_console(result, console);
  EXPECT_EQ(
      console.str(),
      "Gate: the cards cannot be compared: level smoke against full; make a baseline with the "
      "same suite, level, seed and golden store\n");
}

TEST(Gate, WaiversCoverByCaseAndRule) {
  const RunRecord bad = with_violation();
  EXPECT_EQ(gate_of(clean_record(), bad, {waiver("gemm.*")}).exit_code(), 1)
      << "the mark is lost all the same";
  EXPECT_EQ(gate_of(clean_record(), bad, {waiver("gemm.*"), waiver("mark.H2")}).exit_code(), 0);
  Waiver ruled = waiver("gemm.*");
  ruled.rule = "gemm.specified";
  EXPECT_EQ(gate_of(clean_record(), bad, {ruled, waiver("mark.*")}).exit_code(), 0);
  ruled.rule = "gemm.exact";
  const GateResult other = gate_of(clean_record(), bad, {ruled, waiver("mark.*")});
  EXPECT_EQ(other.exit_code(), 1);
  ASSERT_EQ(other.unused.size(), 1u);
  EXPECT_EQ(other.unused[0].rule, "gemm.exact");
}

TEST(Gate, WaiverCountsThroughItsLastDayAndIsNamedAfterIt) {
  const RunRecord bad = with_violation();
  const auto with_expiry = [&](const char* day) {
    return gate_of(clean_record(), bad, {waiver("gemm.*", day), waiver("mark.*")});
  };
  EXPECT_EQ(with_expiry("2025-11-21").exit_code(), 0);
  const GateResult late = with_expiry("2025-11-20");
  EXPECT_EQ(late.exit_code(), 1);
  ASSERT_EQ(late.expired.size(), 1u);
  EXPECT_TRUE(late.unused.empty());
}

TEST(Gate, WritersNameWhatFailsWhatIsWaivedAndWhichWaiversAreStale) {
  const GateResult result =
      gate_of(clean_record(), with_violation(),
              {waiver("gemm.*"), waiver("softmax.*"), waiver("*", "2020-01-01")});
  std::ostringstream console, junit, markdown;
  write_gate_console(result, console);
  write_gate_junit(result, junit);
  write_gate_markdown(result, markdown);
  for (const char* part :
       {"Gate fails: 10 cases compared, 1 failure, 1 waived", "lost mark      mark.H2",
        "waived         new violation gemm.", "waiver expired *", "waiver unused  softmax.*"}) {
    EXPECT_NE(console.str().find(part), std::string::npos) << part << " in\n" << console.str();
  }
  EXPECT_NE(junit.str().find("tests=\"3\" failures=\"1\" errors=\"0\""), std::string::npos)
      << junit.str();
  EXPECT_NE(junit.str().find("<failure type=\"lost mark\""), std::string::npos);
  EXPECT_NE(junit.str().find("waived: gemm.* (Ada, until 2025-12-31: known)"), std::string::npos);
  EXPECT_NE(markdown.str().find("| lost mark | mark.H2 |"), std::string::npos) << markdown.str();
}

TEST(Gate, JUnitEscapes) {
  RunRecord record = clean_record();
  case_named(record, kSoftmaxCase).verdict = Verdict::kError;
  case_named(record, kSoftmaxCase).reason = "</failure><script>\"'&";
  std::ostringstream junit;
  write_gate_junit(gate_of(clean_record(), record), junit);
  EXPECT_EQ(junit.str().find("<script"), std::string::npos);
}

struct BadWaiver {
  const char* text;
  const char* part;
};

TEST(Waivers, BadFilesAreRefusedByName) {
  const BadWaiver rows[] = {
      {R"([])", "expected {\"waivers\": [...]}"},
      {R"({"waivers": 1})", "expected {\"waivers\": [...]}"},
      {R"({"waivers": [1]})", "waiver 1: it must be an object"},
      {R"({"waivers": [{"case": "a", "reason": "r", "expires": "2025-01-01"}]})",
       "waiver 1: 'owner' is missing"},
      {R"({"waivers": [{"case": "a", "owner": "o", "expires": "2025-01-01"}]})",
       "'reason' is missing"},
      {R"({"waivers": [{"case": "a", "owner": "o", "reason": "r"}]})", "'expires' is missing"},
      {R"({"waivers": [{"owner": "o", "reason": "r", "expires": "2025-01-01"}]})",
       "'case' is missing"},
      {R"({"waivers": [{"case": "", "owner": "o", "reason": "r", "expires": "2025-01-01"}]})",
       "'case' must be a text"},
      {R"({"waivers": [{"case": "a", "owner": "o", "reason": "r", "expires": "soon"}]})",
       "'expires' is 'soon'"},
      {R"({"waivers": [{"case": "a", "owner": "o", "reason": "r", "expires": "2025-02-30"}]})",
       "'2025-02-30'"},
      {R"({"waivers": [{"case": "a", "owner": "o", "reason": "r", "expires": "2025-1-1"}]})",
       "'2025-1-1'"},
      {R"({"waivers": [{"case": "a", "owner": "o", "reason": "r", "expires": "2025-01-01", "until": 1}]})",
       "'until' is unknown"},
  };
  for (const BadWaiver& row : rows) {
    try {
      static_cast<void>(waivers_from_json(json::parse(row.text), "w.json"));
      ADD_FAILURE() << row.text;
    } catch (const WaiverError& error) {
      EXPECT_NE(std::string(error.what()).find(row.part), std::string::npos) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with("w.json: ")) << error.what();
    }
  }
}

TEST(Waivers, GoodFileIsRead) {
  const auto waivers = waivers_from_json(
      json::parse(
          R"({"waivers": [{"case": "gemm.*", "rule": "gemm.?", "owner": "o", "reason": "r", "expires": "2028-02-29"}]})"),
      "w.json");
  ASSERT_EQ(waivers.size(), 1u);
  EXPECT_TRUE(covers(waivers[0], "gemm.a.s7", "gemm.x"));
  EXPECT_FALSE(covers(waivers[0], "gemm.a.s7", "gemm.xy"));
  EXPECT_FALSE(covers(waivers[0], "softmax.a.s7", "gemm.x"));
}

}  // namespace
}  // namespace halfmark::reports
