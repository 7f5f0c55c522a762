// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/report_verbs/report_verbs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/files.hpp"
#include "reports/scorecard_json.hpp"
#include "tools/halfmark/lab/lab.hpp"

namespace halfmark::tools {
namespace {

using reports::read_file;
using reports::write_file_atomically;

suites::CaseResult passing(const std::string& name, suites::Verdict verdict) {
  suites::CaseResult r;
  r.name = name;
  r.suite = "gemm";
  r.tier = "specified";
  r.rule = "gemm.specified";
  r.verdict = verdict;
  return r;
}

std::string card_text(suites::Verdict verdict, const std::string& level = "smoke") {
  reports::RunRecord record;
  record.identity.version = "0.1.0";
  record.identity.contract_revision = "1";
  record.identity.level = level;
  record.device = {{"selector", "toy:0"},
                   {"backend", "toy"},
                   {"name", "Toy"},
                   {"promises", nlohmann::json::array()}};
  record.results = {passing("gemm.a.s0", suites::Verdict::kPass), passing("gemm.b.s0", verdict)};
  record.expected_cases = 2;
  record.completed = true;
  return reports::print_json(reports::tally(record));
}

class Verbs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "halfmark-verbs-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write_file_atomically(in("good.json"), card_text(suites::Verdict::kPass));
    write_file_atomically(in("bad.json"), card_text(suites::Verdict::kFail));
    write_file_atomically(in("foreign.json"), "{\"schema\": \"other/1\"}");
    write_file_atomically(in("cut.json"), card_text(suites::Verdict::kPass).substr(0, 200));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path in(const char* name) const { return folder_ / name; }

  Streams fresh() {
    out_.str("");
    err_.str("");
    return {out_, err_};
  }

  // Wrong input gives this code, nothing on stdout, and one line on stderr that names the problem.
  void expect_one_line(int code, int expected_code, const std::string& part) {
    const std::string line = err_.str();
    EXPECT_EQ(code, expected_code) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_EQ(out_.str(), "");
  }

  std::filesystem::path folder_;
  std::ostringstream out_, err_;
};

TEST_F(Verbs, EveryVerbRefusesWhatIsNoScorecardInOneLine) {
  for (const char* name : {"foreign.json", "cut.json", "absent.json"}) {
    expect_one_line(verb_compare({in("good.json"), in(name)}, fresh()), 2, name);
    expect_one_line(verb_gate({.baseline = in(name),
                               .candidate = in("good.json"),
                               .waivers = {},
                               .junit = {},
                               .markdown = {},
                               .today = ""},
                              fresh()),
                    2, name);
    expect_one_line(verb_explain({in(name).string() + "#F001"}, fresh()), 2, name);
    expect_one_line(verb_validate({{in(name)}}, fresh()), 2, name);
    expect_one_line(verb_report({"html", {in(name)}, std::nullopt}, fresh()), 2, name);
  }
}

TEST_F(Verbs, AFleetReportOfAnotherFormIsRefusedInOneLine) {
  write_file_atomically(in("fleet.json"), R"({"schema": "halfmark-fleet/1"})");
  expect_one_line(verb_report({"html", {in("fleet.json")}, std::nullopt}, fresh()), 2,
                  "fleet.json is no report of this version's");
  expect_one_line(verb_report({"junit", {in("fleet.json")}, std::nullopt}, fresh()), 2,
                  "fleet.json is the report of a fleet, which only html shows");
}

TEST_F(Verbs, CompareSpeaks) {
  EXPECT_EQ(verb_compare({in("good.json"), in("bad.json")}, fresh()), 0);
  EXPECT_NE(out_.str().find("gemm.b.s0: pass -> fail"), std::string::npos) << out_.str();
}

TEST_F(Verbs, GateWritesItsFilesAndAnswersByCode) {
  const GateOptions options{.baseline = in("good.json"),
                            .candidate = in("bad.json"),
                            .waivers = std::nullopt,
                            .junit = in("out/gate.xml"),
                            .markdown = in("out/gate.md"),
                            .today = "2025-11-21"};
  EXPECT_EQ(verb_gate(options, fresh()), 1);
  EXPECT_NE(read_file(in("out/gate.xml")).find("<failure type=\"new violation\""),
            std::string::npos);
  EXPECT_NE(read_file(in("out/gate.md")).find("| new violation | gemm.b.s0 |"), std::string::npos);
  GateOptions waived = options;
  waived.waivers = in("waivers.json");
  write_file_atomically(
      *waived.waivers,
      R"({"waivers": [{"case": "*", "owner": "o", "reason": "r", "expires": "2025-11-30"}]})");
  EXPECT_EQ(verb_gate(waived, fresh()), 0);
  waived.today = "2025-12-01";
  EXPECT_EQ(verb_gate(waived, fresh()), 1);
  waived.today = "";  // by today's date the waiver has expired
  EXPECT_EQ(verb_gate(waived, fresh()), 1);
}

TEST_F(Verbs, AFileThatCannotBeWrittenHidesNoFailureOfTheGate) {
  GateOptions options{.baseline = in("good.json"),
                      .candidate = in("bad.json"),
                      .waivers = std::nullopt,
                      .junit = "/dev/full",
                      .markdown = in("out/failed.md"),
                      .today = "2025-11-21"};
  EXPECT_EQ(1, verb_gate(options, fresh()));
  EXPECT_EQ("halfmark: cannot write /dev/full: No space left on device\n", err_.str());
  EXPECT_TRUE(read_file(in("out/failed.md")).starts_with("# Gate fails"));
  options.candidate = in("good.json");
  EXPECT_EQ(3, verb_gate(options, fresh()));
  EXPECT_TRUE(read_file(in("out/failed.md")).starts_with("# Gate passes"));
}

TEST_F(Verbs, GateRefusesCardsOfOtherQuestions) {
  write_file_atomically(in("other.json"), card_text(suites::Verdict::kPass, "full"));
  const GateOptions options{.baseline = in("good.json"),
                            .candidate = in("other.json"),
                            .waivers = {},
                            .junit = {},
                            .markdown = in("out/refused.md"),
                            .today = ""};
  expect_one_line(verb_gate(options, fresh()), 2, "other.json cannot be compared with");
  EXPECT_NE(read_file(in("out/refused.md")).find("cannot be compared"), std::string::npos);
}

TEST_F(Verbs, GateRefusesBadWaivers) {
  GateOptions options{.baseline = in("good.json"),
                      .candidate = in("good.json"),
                      .waivers = in("absent.json"),
                      .junit = {},
                      .markdown = {},
                      .today = ""};
  expect_one_line(verb_gate(options, fresh()), 2, "absent.json");
  options.waivers = in("foreign.json");
  expect_one_line(verb_gate(options, fresh()), 2, "foreign.json: expected {\"waivers\"");
}

TEST_F(Verbs, ExplainFindsListsAndRefuses) {
  EXPECT_EQ(verb_explain({in("bad.json").string() + "#F001"}, fresh()), 0);
  EXPECT_NE(out_.str().find("Repeat it"), std::string::npos);
  EXPECT_EQ(verb_explain({in("bad.json").string()}, fresh()), 0);
  EXPECT_NE(out_.str().find("F001  violation"), std::string::npos);
  expect_one_line(verb_explain({in("bad.json").string() + "#F009"}, fresh()), 2,
                  "no finding 'F009'");
}

TEST_F(Verbs, ValidateTellsAChangedCardFromAGoodOne) {
  EXPECT_EQ(verb_validate({{in("good.json"), in("bad.json")}}, fresh()), 0);
  nlohmann::json card = nlohmann::json::parse(read_file(in("good.json")));
  card["device"]["name"] = "Better";
  write_file_atomically(in("changed.json"), card.dump());
  EXPECT_EQ(verb_validate({{in("good.json"), in("changed.json")}}, fresh()), 1);
  EXPECT_NE(out_.str().find("good.json: valid\n"), std::string::npos);
  EXPECT_NE(out_.str().find("changed.json: not valid, 1 problem\n  digest:"), std::string::npos)
      << out_.str();
}

TEST_F(Verbs, ReportGoesToStreamFileOrFolder) {
  EXPECT_EQ(verb_report({"markdown", {in("good.json")}, std::nullopt}, fresh()), 0);
  EXPECT_TRUE(out_.str().starts_with("# Halfmark: Toy"));
  EXPECT_EQ(verb_report({"html", {in("good.json")}, in("page.html")}, fresh()), 0);
  EXPECT_TRUE(read_file(in("page.html")).starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(verb_report({"junit", {in("good.json"), in("bad.json")}, in("all")}, fresh()), 0);
  EXPECT_TRUE(read_file(in("all/toy-0.xml")).starts_with("<?xml"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(in("all")),
                          std::filesystem::directory_iterator()),
            2);
  EXPECT_EQ(verb_report({"json", {in("good.json")}, in("all") / ""}, fresh()), 0);
  EXPECT_EQ(read_file(in("all/toy-0.json")), read_file(in("good.json")));
}

TEST_F(Verbs, ReportRefusesUnknownFormatsAndUnwritablePlaces) {
  expect_one_line(verb_report({"pdf", {in("good.json")}, std::nullopt}, fresh()), 2,
                  "choose from: console, csv, html, json, junit, markdown");
  expect_one_line(verb_report({"html", {in("good.json"), in("bad.json")}, std::nullopt}, fresh()),
                  2, "add -o DIR");
  expect_one_line(verb_report({"html", {in("good.json")}, in("good.json") / "page.html"}, fresh()),
                  3, "cannot create");
}

// Every experiment writes what the page takes.
TEST_F(Verbs, DrawWhatLabWrote) {
  for (const char* experiment :
       {"fragile", "sweep", "ablation", "recompute", "mlp", "mismatch", "convergence", "fp8"}) {
    LabOptions options;
    options.experiment = experiment;
    options.size = "small";
    options.steps = experiment == std::string_view("convergence") ? 16 : 1;
    options.json_file = in("lab.json").string();
    std::ostringstream ignored;
    ASSERT_EQ(0, run_lab(options, std::nullopt, ignored)) << experiment;
    EXPECT_EQ(0, verb_report({"html", {in("lab.json")}, in("lab.html")}, fresh())) << experiment;
    const std::string page = read_file(in("lab.html"));
    EXPECT_NE(std::string::npos, page.find(std::string("<h1>") + experiment + "</h1>"));
    EXPECT_NE(std::string::npos, page.find("<dt>Network</dt>")) << experiment;
    EXPECT_NE(std::string::npos, page.find("by exponent")) << experiment;
    EXPECT_NE(std::string::npos, page.find("</html>")) << experiment;
  }
  expect_one_line(verb_report({"csv", {in("lab.json")}, std::nullopt}, fresh()), 2,
                  "lab.json is the report of an experiment, which only html shows");
  write_file_atomically(in("lab.json"), R"({"schema": "halfmark-lab/1"})");
  expect_one_line(verb_report({"html", {in("lab.json")}, std::nullopt}, fresh()), 2,
                  "lab.json is no report of this version's `halfmark lab`");
}

}  // namespace
}  // namespace halfmark::tools
