// SPDX-License-Identifier: Apache-2.0
// Golden files pin every format byte for byte; HALFMARK_UPDATE_GOLDEN=1 rewrites them. Hostile
// texts must stay plain text.
#include "reports/writers/writers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "reports/files.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/testing/sample_record.hpp"
#include "reports/validate.hpp"
#include "reports/writers/story.hpp"

namespace halfmark::reports {
namespace {

const std::filesystem::path kGolden = HALFMARK_GOLDEN;

std::string written(const Writer& writer, const Scorecard& card) {
  std::ostringstream text;
  writer.write(card, text);
  return text.str();
}

std::string written(std::string_view format, const Scorecard& card) {
  return written(*find_writer(format), card);
}

void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path path = kGolden / name;
  if (std::getenv("HALFMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(path, actual);
  EXPECT_EQ(read_file(path), actual) << "HALFMARK_UPDATE_GOLDEN=1 writes " << path << " anew";
}

struct Golden {
  const char* stem;
  RunRecord record;
};

TEST(Writers, EveryFormatMatchesItsGoldenFile) {
  for (const Golden& golden :
       {Golden{"sample", sample_record()}, {"clean", clean_record()}, {"fp16", fp16_record()}}) {
    const std::string stem = golden.stem;
    expect_golden(stem + ".json", print_json(tally(golden.record)));
    const Scorecard card = read_scorecard(kGolden / (stem + ".json"));
    for (const Writer& writer : all_writers())
      expect_golden(fmt::format("{}.{}", stem, writer.suffix), written(writer, card));
  }
}

TEST(Writers, AreFoundByNameOnly) {
  EXPECT_EQ(find_writer("html")->suffix, "html");
  EXPECT_EQ(find_writer("HTML"), nullptr);
  EXPECT_EQ(find_writer(""), nullptr);
}

// A driver chooses these texts. None may become markup, end an attribute or break the XML.
RunRecord hostile_record() {
  const std::string hostile =
      "</title><script>alert('x')</script>\"onload=\"y\" & \x01 \xff ]]> |`*[z](javascript:w)";
  RunRecord record = sample_record();
  record.device["name"] = hostile;
  record.device["driver_version"] = hostile;
  record.device["promises"][0]["evidence"] = hostile;
  record.environment["host"][hostile] = hostile;
  for (suites::CaseResult& r : record.results) {
    if (r.verdict != suites::Verdict::kPass) r.reason = hostile;
    r.promise = hostile;
  }
  record.canaries[0].observed = hostile;
  record.canaries[0].standing = "violation";
  record.throughput[0].shape = hostile;
  record.throughput[1].shape = hostile;
  record.not_asserted = {{hostile, hostile}};
  // Texts that the verdicts on fp16 and the roofs repeat: names of rows, shapes, why an image was
  // not read.
  const RunRecord timed = fp16_record();
  record.device["promises"][1]["offered"] = true;
  for (const suites::CaseResult& r : timed.results) {
    if (std::ranges::count(record.results, r.name, &suites::CaseResult::name) == 0)
      record.results.push_back(r);
  }
  for (ThroughputRun run : timed.throughput) {
    run.conditions.erase("instructions");
    run.conditions["instructions_unread"] = hostile;
    if (run.shape_class == "chain") run.shape += hostile;
    if (run.duel) run.duel->against = hostile;
    record.throughput.push_back(run);
  }
  return record;
}

TEST(Writers, HostileTextsStayTexts) {
  const Scorecard card = tally(hostile_record());
  EXPECT_TRUE(validate(to_json(card)).empty());
  for (const std::string_view format : {"html", "junit"}) {
    const std::string text = written(format, card);
    EXPECT_EQ(text.find("<script"), std::string::npos) << format;
    EXPECT_EQ(text.find("</title><"), std::string::npos) << format;
    EXPECT_EQ(text.find("\"onload"), std::string::npos) << format;
    EXPECT_EQ(text.find("]]>"), std::string::npos) << format;
    EXPECT_EQ(text.find('\x01'), std::string::npos) << format;
    EXPECT_EQ(text.find('\xff'), std::string::npos) << format;
    EXPECT_NE(text.find("&lt;script&gt;"), std::string::npos) << format;
  }
  const std::string markdown = written("markdown", card);
  EXPECT_EQ(markdown.find("<script"), std::string::npos);
  EXPECT_EQ(markdown.find("[z](java"), std::string::npos);
}

TEST(Writers, MarkdownTablesKeepTheirColumnsUnderHostileTexts) {
  std::istringstream lines(written("markdown", tally(hostile_record())));
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (!line.starts_with('|')) columns = 0;
    if (columns != 0) {
      EXPECT_EQ(bars, columns) << line;
    }
    if (line.starts_with('|')) columns = bars;
  }
}

// A spreadsheet runs what starts like a formula, and ends a row at a line break.
TEST(Writers, CsvRowsKeepTheirCellsUnderHostileTexts) {
  RunRecord record = hostile_record();
  record.device["name"] = "=1+1";
  record.throughput[1].shape = "a,\"b\"\r\nc";
  const std::string text = written("csv", tally(record));
  EXPECT_NE(text.find("\r\n'=1+1,"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(,"a,""b""\x0d\nc",)"), std::string::npos) << text;
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            record.throughput.size() + 1);
}

// A run that was ended while it measured speed lacks no case.
TEST(Writers, TheHeadlineOfAPartialRunNamesTheMarksItHolds) {
  RunRecord record = clean_record();
  record.completed = false;
  EXPECT_EQ("Incomplete; so far: no violation; marks held: H1, H2.", headline(tally(record)));
  record.results.pop_back();
  EXPECT_EQ("Incomplete; so far: no violation; no mark can be held.", headline(tally(record)));
}

TEST(Writers, JUnitCountsADeviationAsPassedAndAHangAsError) {
  const std::string text = written("junit", tally(sample_record()));
  EXPECT_NE(
      text.find(
          "<testsuites name=\"halfmark\" tests=\"13\" failures=\"1\" errors=\"1\" skipped=\"3\">"),
      std::string::npos)
      << text.substr(0, 300);
  EXPECT_NE(text.find("<failure type=\"edge_tile\""), std::string::npos);
  EXPECT_NE(text.find("<error type=\"hang\""), std::string::npos);
}

// Whatever makes `run` end with 1 or 4 is red in a CI server.
TEST(Writers, JUnitFailsWhereTheRunDoes) {
  EXPECT_EQ(std::string::npos, written("junit", tally(clean_record())).find("name=\"run\""));
  RunRecord record = clean_record();
  record.canaries[0].standing = "violation";
  record.required_marks = {"H2", "H3"};
  record.environment["incidents"] = nlohmann::json::array({{{"lost", true}}, {{"lost", true}}});
  const std::string failed = written("junit", tally(record));
  EXPECT_NE(std::string::npos, failed.find("tests=\"14\" failures=\"4\" errors=\"0\"")) << failed;
  EXPECT_NE(std::string::npos,
            failed.find("<testsuite name=\"run\" tests=\"4\" failures=\"4\" errors=\"0\""));
  for (const char* name : {"canary.fp32.subnormals.add", "losses", "mark.H2", "mark.H3"})
    EXPECT_NE(std::string::npos, failed.find(fmt::format("name=\"{}\">\n      <failure", name)));
  record = clean_record();
  record.completed = false;
  record.required_marks = {"H3"};
  const std::string partial = written("junit", tally(record));
  EXPECT_NE(std::string::npos, partial.find("tests=\"11\" failures=\"0\" errors=\"1\"")) << partial;
  EXPECT_NE(std::string::npos,
            partial.find("<error type=\"partial\" message=\"the run was ended while"));
}

// A run that ends with 1 for want of a mark does not begin its reports with "Conforms".
TEST(Writers, HeadlineNamesRequiredMarksThatAreWithheld) {
  RunRecord record = clean_record();
  record.required_marks = {"H1"};
  EXPECT_EQ("Conforms: no violation; marks held: H1, H2.", headline(tally(record)));
  record.required_marks = {"H3", "H1", "TF16"};
  const Scorecard card = tally(record);
  EXPECT_EQ(
      "Does not conform: no violation, without the required marks H3, TF16; marks held: H1, H2.",
      headline(card));
  EXPECT_EQ(kExitDoesNotConform, exit_code(card, record.required_marks));
  EXPECT_NE(std::string::npos, written("html", card).find("<p class=\"verdict bad\">Does not"));
  record.completed = false;
  EXPECT_TRUE(headline(tally(record)).starts_with("Incomplete; so far: no violation; marks held"));
}

TEST(Writers, ConsoleGroupsOneCauseAndNamesTheOtherCases) {
  const std::string text = written("console", tally(sample_record()));
  EXPECT_NE(text.find("1 more case: F003"), std::string::npos) << text;
  EXPECT_NE(text.find("fp32 subnormals: kept by add, fma operands, mul; flushed by fma results"),
            std::string::npos);
}

TEST(Writers, ConsolePrintsAClauseOnceThoughAFindingTakesTwoFreedoms) {
  RunRecord record = sample_record();
  const std::string one = "Manual, 4.2 (lacks DENORM)";
  const std::string two = "Manual, 4.3; and its errata (MODE=1)";
  std::vector<suites::CaseResult*> deviations;
  for (suites::CaseResult& r : record.results)
    if (r.standing == suites::Standing::kDeviation) deviations.push_back(&r);
  ASSERT_EQ(2U, deviations.size());
  deviations[0]->permitted_by = one;
  deviations[1]->permitted_by = two + "; " + one;  // although one cause makes them a group
  const std::string text = written("console", tally(record));
  for (const std::string& clause : {one, two}) {
    const std::size_t at = text.find("permitted  " + clause + "\n");
    ASSERT_NE(std::string::npos, at) << text;
    EXPECT_EQ(std::string::npos, text.find(clause, at + 12)) << text;
  }
}

Scorecard unanswered_card() {
  using suites::Verdict;
  Scorecard card;
  const auto add = [&](const char* name, Verdict verdict, const std::string& reason) {
    card.cases.push_back({.name = name, .verdict = verdict, .digest = "", .reason = reason});
  };
  add("softmax.a", Verdict::kNotSupported, "no library offers the operator 'softmax': X (absent)");
  add("convert.a", Verdict::kNotSupported, "no library offers the operator 'convert': X (absent)");
  add("convert.b", Verdict::kNotSupported, "no library offers the operator 'convert': X (absent)");
  add("convert.c", Verdict::kNotSupported, "no unit offers the operator 'convert': X (absent)");
  add("gemm.a", Verdict::kCrash, "signal 11");
  for (int i = 0; i < 12; ++i)
    add("gemm.b", Verdict::kNotSupported, fmt::format("X takes no product of {} terms", i));
  return card;
}

TEST(Writers, ReasonsThatDifferByTheOperatorAreOne) {
  const std::vector<Unanswered> groups = unanswered(unanswered_card());
  ASSERT_EQ(15U, groups.size());
  EXPECT_EQ("signal 11", groups[0].reason) << "the worst verdict, although it is rare";
  EXPECT_EQ("no library offers the operators 'convert', 'softmax': X (absent)", groups[1].reason);
  EXPECT_EQ(3U, groups[1].count) << "the most frequent";
}

TEST(Writers, ConsoleShowsTheMostFrequentReasonsAndCountsTheOthers) {
  const std::string text = written("console", unanswered_card());
  EXPECT_NE(std::string::npos, text.find("crash (1 case): signal 11"));
  EXPECT_NE(std::string::npos, text.find("'convert', 'softmax'"));
  EXPECT_NE(std::string::npos, text.find("7 more reasons, of 7 cases: the HTML report lists all"))
      << text;
}

TEST(Writers, OfSeveralCausesNoneIsAFact) {
  RunRecord record = sample_record();
  for (suites::CaseResult& r : record.results) {
    if (r.explanations.empty() || r.standing != suites::Standing::kViolation) continue;
    r.explanations = {r.explanations.front(), r.explanations.front()};
    for (suites::Explanation& e : r.explanations) e.explained = r.mismatches, e.contradicted = 0;
    r.explanations.back().hypothesis = "another";
    r.explanations.back().sentence = "another cause";
  }
  const Scorecard card = tally(record);
  for (const char* format : {"console", "markdown", "junit"}) {
    const std::string text = written(format, card);
    EXPECT_NE(std::string::npos, text.find("one of")) << format;
    EXPECT_NE(std::string::npos, text.find("another cause")) << format;
    EXPECT_EQ(std::string::npos, written(format, tally(sample_record())).find("one of")) << format;
  }
}

TEST(Writers, SayThatNothingExplainsOnlyWhereItWasTried) {
  RunRecord record = clean_record(), wrong = sample_record();
  suites::CaseResult& result = case_named(record, kAddCase);
  make_violation(result, "stale_copy");
  const Scorecard untried = tally(record);
  result.finding_class = "unexplained";
  result.wrong = case_named(wrong, kFmaCase).wrong;
  const Scorecard tried = tally(record);
  for (const auto& [format, words] : {std::pair("console", "none of the hypotheses tried"),
                                      std::pair("html", "No named arithmetic was found"),
                                      std::pair("markdown", "| no named arithmetic |")}) {
    EXPECT_NE(std::string::npos, written(format, tried).find(words)) << format;
    EXPECT_EQ(std::string::npos, written(format, untried).find(words)) << format;
  }
  EXPECT_NE(std::string::npos, written("markdown", untried).find("| not looked for |"));
}

// Entries that share operator, provider, formats and arithmetic differ by their shapes.
TEST(Writers, NameTheShapesOfAnArithmetic) {
  RunRecord record = clean_record();
  ArithmeticEntry& named = record.arithmetic.at(0);
  named.shapes = {"nn.m1n1k80", "nn.m2n2k80", "nn.m3n3k80"};
  ArithmeticEntry unnamed = named;
  unnamed.outcome = "unexplained";
  unnamed.arithmetic = "none";
  for (const char* shape : {"nt.m33n17k40", "nt.m40n32k144"}) {
    unnamed.shapes = {shape};
    record.arithmetic.push_back(unnamed);
  }
  const Scorecard card = tally(record);
  for (const char* format : {"console", "markdown", "html"}) {
    const std::string text = written(format, card);
    for (const char* shapes : {"nn.m1n1k80 and 2 more", "nt.m33n17k40", "nt.m40n32k144"})
      EXPECT_NE(std::string::npos, text.find(shapes)) << format << ": " << shapes;
  }
  const Mark& h3 = card.marks.at(2);
  ASSERT_EQ("H3", h3.id);
  std::vector<std::string> reasons = h3.reasons;
  EXPECT_EQ(reasons.end(), std::ranges::unique(reasons).begin());
}

TEST(Writers, FindTheArithmeticAtTheShapeOfAFinding) {
  Scorecard card = tally(clean_record());
  ArithmeticEntry other = card.arithmetic.at(0);
  other.shapes = {"nt.m33n17k4"};
  card.arithmetic.insert(card.arithmetic.begin(), other);
  card.arithmetic[1].shapes = {"nn.m1n1k80", "nt.m33n17k40"};
  Finding finding;
  finding.result.name = "gemm.fp16.acc-fp32.out-fp32.library.nt.m33n17k40.plain.normal.s7";
  EXPECT_EQ(&card.arithmetic[1], arithmetic_behind(card, finding));
  finding.result.name = "gemm.fp16.acc-fp32.out-fp32.library.tt.m1n1k1.plain.normal.s7";
  EXPECT_EQ(&card.arithmetic[0], arithmetic_behind(card, finding));
  finding.result.name = "gemm.fp32.acc-fp32.out-fp32.library.nt.m33n17k40.plain.normal.s7";
  EXPECT_EQ(nullptr, arithmetic_behind(card, finding));
}

TEST(Writers, DrawAnEmptyBarForASuiteWithoutCases) {
  Scorecard card = tally(clean_record());
  card.suites.push_back({.name = "empty", .verdicts = {}, .tiers = {}});
  EXPECT_NE(std::string::npos, written("html", card).find("aria-label=\"0 of 0 passed\"></svg>"));
}

TEST(Writers, TellThePartOfTheDeclaredRate) {
  ThroughputRow row;
  row.run.flops = 2000;
  row.median_ns = 8;
  EXPECT_EQ("250", rate_text(row));
  row.run.declared_gflops = 400;
  EXPECT_EQ("250 (62.5 % of declared)", rate_text(row));
  row.run.flops = 0;
  EXPECT_EQ("", rate_text(row));
  RunRecord record = clean_record();
  for (const char* format : {"console", "markdown", "html"}) {
    record.throughput[1].declared_gflops = 0;
    EXPECT_EQ(std::string::npos, written(format, tally(record)).find("of declared")) << format;
    record.throughput[1].declared_gflops = 200;
    EXPECT_NE(std::string::npos, written(format, tally(record)).find("% of declared")) << format;
  }
}

TEST(Writers, TellEachOperationsKindRateAndGain) {
  const Scorecard card = tally(fp16_record());
  const std::string text = written("console", card);
  EXPECT_NE(std::string::npos, text.find("fma        emulated  39.2   206  0.19  w2")) << text;
  EXPECT_NE(std::string::npos, text.find("fp32 at best, GFLOP/s: 208 by rates.fma.fp32")) << text;
  EXPECT_NE(std::string::npos, written("html", card).find("aria-label=\"add fp16 192 GFLOP/s\""));
  EXPECT_NE(std::string::npos, written("markdown", card).find("| fma | emulated | 39.2 | 206 |"));
}

}  // namespace
}  // namespace halfmark::reports
