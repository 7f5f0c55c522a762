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
