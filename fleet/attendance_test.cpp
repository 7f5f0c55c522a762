// SPDX-License-Identifier: Apache-2.0
#include "fleet/attendance.hpp"

#include <gtest/gtest.h>

#include "fleet/merge.hpp"
#include "fleet/testing/sample.hpp"

namespace halfmark::fleet {
namespace {

using testing::right;
using V = DeviceVerdict;

AgentRecord agent(const std::string& node, const std::string& task, std::uint64_t tasks = 2) {
  return {.origin = {.run = "slurm-7", .task = task, .node = node},
          .launcher = "slurm",
          .tier = "pulse",
          .started = "",
          .tasks = tasks,
          .attempts = 1,
          .devices = {"x:0"},
          .finished = true,
          .error = {},
          .clock_ahead_s = 0};
}

Rollup answer(const std::string& node, const std::string& task) {
  Rollup rollup = right(node);
  rollup.origin = {.run = "slurm-7", .task = task, .node = node};
  return rollup;
}

std::string notes_of(const FleetReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += note + "\n";
  return text;
}

TEST(Attendance, NodesOfTheRosterThatAreNotHereAreAbsent) {
  Merge merge;
  merge.add(right("a"));
  const FleetReport report = merge.finish(parse_roster("a 1\nb\nc 4\n"));
  EXPECT_EQ(5U, report.count(V::kAbsent));
  EXPECT_EQ(6U, report.devices);
  ASSERT_EQ(2U, report.rows.size());
  EXPECT_EQ("b", report.rows[0].node);
  EXPECT_EQ("it is on the roster but left nothing here", report.rows[0].evidence);
  EXPECT_EQ(4U, report.rows[1].devices);
  EXPECT_EQ(Scope::kNode, report.rows[1].scope);
  EXPECT_EQ(3U, report.nodes_expected);
  EXPECT_EQ(1U, report.nodes_answered);
  EXPECT_EQ(4, exit_code(report));
}

TEST(Attendance, MissingDevicesOfANodeAreAbsent) {
  Merge merge;
  merge.add(right("a", "x:0"));
  merge.add(right("a", "x:1"));
  const FleetReport report = merge.finish(parse_roster("a 4\n"));
  EXPECT_EQ(2U, report.count(V::kAbsent));
  EXPECT_EQ(Scope::kDevice, report.rows.at(0).scope);
  EXPECT_EQ("the roster has 4 devices of it, and 2 are known here", report.rows.at(0).evidence);
}

TEST(Attendance, OneDeviceOfSeveralIsCountedInTheSingular) {
  Merge merge;
  merge.add(right("a"));
  EXPECT_EQ("the roster has 2 devices of it, and 1 is known here",
            merge.finish(parse_roster("a 2\n")).rows.at(0).evidence);
}

TEST(Attendance, StrangersCountAndAreNamed) {
  Merge merge;
  merge.add(right("a"));
  merge.add(right("z"));
  merge.add(right("z", "x:1"));
  FleetReport report = merge.finish(parse_roster("a 1\n"));
  EXPECT_EQ(3U, report.count(V::kConformant));
  EXPECT_EQ("not on the roster, and counted: z\n", notes_of(report));
}

TEST(Attendance, AnAgentThatDidNotEndLeavesItsDevicesAbsent) {
  Merge merge;
  AgentRecord killed = agent("b", "1");
  killed.devices = {"x:0", "x:1"};
  killed.finished = false;
  merge.add(agent("a", "0"));
  merge.add(killed);
  merge.add(answer("a", "0"));
  const FleetReport report = merge.finish(parse_roster("a\nb 4\n"));
  // Two by name, and the others of the roster.
  EXPECT_EQ(4U, report.count(V::kAbsent));
  ASSERT_EQ(3U, report.rows.size());
  EXPECT_EQ(2U, report.rows[0].devices);
  EXPECT_EQ("x:0", report.rows[1].selector);
  EXPECT_EQ("its agent started and never finished", report.rows[1].evidence);
}

TEST(Attendance, AnAgentThatEndedWithoutAnAnswerLeavesItsDeviceAbsent) {
  Merge merge;
  merge.add(agent("a", "0", 1));
  EXPECT_EQ("its agent ended without an answer from this device",
            merge.finish(std::nullopt).rows.at(0).evidence);
}

TEST(Attendance, TasksThatLeftNothingAreAbsentWithoutARoster) {
  Merge merge;
  merge.add(agent("a", "0", 4));
  merge.add(answer("a", "0"));
  merge.add(agent("c", "2", 4));
  merge.add(answer("c", "2"));
  const FleetReport report = merge.finish(std::nullopt);
  EXPECT_EQ(2U, report.count(V::kAbsent));
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ("run slurm-7 has 4 tasks, and 2 of them left nothing here: task 1, 3",
            report.rows[0].evidence);
}

TEST(Attendance, WithARosterSilentTasksAreANote) {
  Merge merge;
  merge.add(agent("a", "0"));
  merge.add(answer("a", "0"));
  const FleetReport report = merge.finish(parse_roster("a\nb\n"));
  EXPECT_EQ(1U, report.count(V::kAbsent));
  EXPECT_EQ("run slurm-7 has 2 tasks, and 1 of them left nothing here: task 1\n", notes_of(report));
}

TEST(Attendance, DuplicatedRanksAreNamed) {
  Merge merge;
  for (const char* node : {"a", "b"}) {
    merge.add(agent(node, "0", 1));
    merge.add(answer(node, "0"));
  }
  const FleetReport report = merge.finish(std::nullopt);
  EXPECT_EQ(2U, report.count(V::kConformant));
  EXPECT_EQ("task 0 of run slurm-7 ran on two nodes or more: a, b; each device counts once\n",
            notes_of(report));
}

TEST(Attendance, ErrorsOfAgentsAreErrorsOfTheirNodes) {
  Merge merge;
  AgentRecord broken = agent("b", "1");
  broken.devices.clear();
  broken.error = "no device was found";
  merge.add(agent("a", "0"));
  merge.add(answer("a", "0"));
  merge.add(broken);
  const FleetReport report = merge.finish(parse_roster("a\nb 8\n"));
  EXPECT_EQ(8U, report.count(V::kError));
  EXPECT_EQ(0U, report.count(V::kAbsent));
  EXPECT_EQ("no device was found", report.rows.at(0).evidence);
  EXPECT_EQ(Scope::kNode, report.rows.at(0).scope);
}

TEST(Attendance, ClocksAndRestartsAreNamed) {
  Merge merge;
  AgentRecord odd = agent("a", "0", 1);
  odd.clock_ahead_s = -90;
  odd.attempts = 3;
  merge.add(odd);
  merge.add(answer("a", "0"));
  FleetReport report = merge.finish(std::nullopt);
  EXPECT_EQ(
      "clocks that differ from the shared folder's: a by -90 s; no verdict depends on them\n"
      "tasks that were started again: a (3 starts)\n",
      notes_of(report));
  odd.clock_ahead_s = 5;  // as far as a slow disk may be
  odd.attempts = 1;
  Merge quiet;
  quiet.add(odd);
  quiet.add(answer("a", "0"));
  EXPECT_EQ("", notes_of(quiet.finish(std::nullopt)));
}

}  // namespace
}  // namespace halfmark::fleet
