// SPDX-License-Identifier: Apache-2.0
// Lines that are intact and in sequence, but inconsistent with each other.
#include <gtest/gtest.h>

#include <vector>

#include "suites/core/case/errors.hpp"
#include "suites/runner/run.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

json run_line() {
  return {{"kind", "run"},
          {"identity", {{"seed", 1}}},
          {"environment", json::object()},
          {"cases", 2},
          {"processes", 0}};
}

json device_line(const std::string& name) {
  backends::DeviceInfo device;
  device.selector = device.name = name;
  return {{"kind", "device"},
          {"device", backends::to_json_object(device)},
          {"identity", {{"name", name}}}};
}

json case_line(const std::string& name, std::uint64_t process) {
  CaseResult result;
  result.name = name;
  result.verdict = Verdict::kPass;
  result.process = process;
  return {{"kind", "case"}, {"result", to_json(result, true)}};
}

std::string refusal(const std::vector<json>& lines) {
  try {
    static_cast<void>(from_journal({.lines = lines, .check = {}}, "journal.jsonl"));
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "read";
}

void expect_refusal(const std::vector<json>& lines, const std::string& reason) {
  EXPECT_EQ("line " + std::to_string(lines.size()) +
                " of journal.jsonl is damaged or from another journal (" + reason +
                "); start again without --resume, or choose another folder with --out",
            refusal(lines));
}

TEST(FromJournal, HoldsWhatSeveralSessionsOfOneDeviceGave) {
  const DeviceRun run =
      from_journal({.lines = {run_line(), device_line("toy"), case_line("a", 1), case_line("b", 3),
                              run_line(), device_line("toy"), case_line("c", 4)},
                    .check = {}},
                   "journal.jsonl");
  EXPECT_EQ(3u, run.results.size());
  EXPECT_EQ(4u, run.processes);
  EXPECT_EQ(json({{"name", "toy"}}), run.device_identity);
}

json row_line(const std::string& passed, const std::string& name, std::uint64_t ns) {
  return {{"kind", "throughput"},
          {"throughput",
           {{"name", name}, {"passed_case", passed}, {"operation", "gemm"}, {"samples_ns", {ns}}}}};
}

json duel_line(const std::string& name, int duel) {
  return {{"kind", "duel"}, {"row", name}, {"as", "duel"}, {"duel", duel}};
}

// What a resumed run measures again replaces what was measured before, under whatever size; what it
// does not is kept. Duels belong to the rows of their own attempt.
TEST(FromJournal, HasOneRowOfWhatIsTimedAgain) {
  const std::vector<json> lines = {run_line(),
                                   device_line("toy"),
                                   row_line("a.s1", "a", 1),
                                   row_line("b.s1", "b large", 2),
                                   row_line("c.s1", "c", 3),
                                   row_line("a.s1", "a", 4),  // again, at the end
                                   duel_line("a", 1),
                                   duel_line("c", 3),
                                   run_line(),
                                   device_line("toy"),
                                   row_line("b.s1", "b", 5),
                                   row_line("a.s1", "a", 6),
                                   row_line("a.s1", "a", 7),
                                   duel_line("a", 2)};
  const DeviceRun run = from_journal({.lines = lines, .check = {}}, "journal.jsonl");
  std::vector<std::uint64_t> times;
  for (const json& row : run.throughput) times.push_back(row.at("samples_ns")[0]);
  EXPECT_EQ((std::vector<std::uint64_t>{3, 5, 6, 7}), times);
  EXPECT_EQ(3, run.throughput[0].at("duel"));
  EXPECT_EQ(2, run.throughput[2].at("duel"));
  EXPECT_FALSE(run.throughput[3].contains("duel"));
}

TEST(FromJournal, RefusesTwoDevices) {
  expect_refusal({run_line(), device_line("toy"), case_line("a", 1), device_line("other")},
                 "it belongs to another device than the lines before it");
  expect_refusal({run_line(), case_line("a", 1)}, "no device precedes its case");
}

TEST(FromJournal, RefusesTwoAnswers) {
  expect_refusal({run_line(), device_line("toy"), case_line("a", 1), case_line("a", 1)},
                 "its case has a verdict already");
  Identified found;
  found.key = "k";
  const json line = {{"kind", "arithmetic"}, {"identified", to_json(found)}};
  expect_refusal({run_line(), device_line("toy"), line, line}, "its arithmetic was found already");
}

TEST(FromJournal, RefusesLinesOfNoMeaning) {
  expect_refusal({{{"kind", "odd"}}}, "the kind of line is unknown");
  for (const json& line : {json{{"kind", "case"}}, json{{"kind", 7}}, json{{"kind", "end"}},
                           json{{"kind", "case"}, {"result", json::object()}}})
    EXPECT_TRUE(refusal({line}).starts_with("line 1 of journal.jsonl is damaged")) << line;
}

}  // namespace
}  // namespace halfmark::suites
