// SPDX-License-Identifier: Apache-2.0
#include "fleet/merge.hpp"

#include <gtest/gtest.h>

#include "fleet/rollup_of.hpp"
#include "fleet/testing/sample.hpp"

namespace halfmark::fleet {
namespace {

using testing::cut_short;
using testing::doubted;
using testing::fleet_of;
using testing::give_other_bits;
using testing::merged;
using testing::right;
using testing::varying;
using testing::wrong;
using V = DeviceVerdict;

std::string notes_of(const FleetReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += note + "\n";
  return text;
}

TEST(Merge, RightDevicesConform) {
  const FleetReport report = merged(fleet_of(4));
  EXPECT_EQ(4U, report.count(V::kConformant));
  EXPECT_EQ(4U, report.devices);
  EXPECT_EQ(800U, report.clean_trials);
  EXPECT_TRUE(report.rows.empty());
  EXPECT_EQ("", notes_of(report));
  EXPECT_EQ(0, exit_code(report));
}

TEST(Merge, OneWrongDeviceIsALoneDeviation) {
  std::vector<Rollup> rollups = fleet_of(3);
  rollups.push_back(wrong("bad", "ff"));
  const FleetReport report = merged(rollups);
  EXPECT_EQ(3U, report.count(V::kConformant));
  ASSERT_EQ(1U, report.rows.size());
  const DeviceRow& row = report.rows[0];
  EXPECT_EQ(V::kLoneDeviation, row.verdict);
  EXPECT_EQ(Scope::kDevice, row.scope);
  EXPECT_EQ("bad", row.node);
  EXPECT_TRUE(row.violates);
  EXPECT_EQ(
      "gemm: wrong cases: 1, first gemm.fp16.s1 (acc_narrow); of 4 devices that were asked the "
      "same, "
      "right: 3, with its bits: 1",
      row.evidence);
  EXPECT_EQ("on bad: halfmark replay gemm.fp16.s1 --device x:0", row.next);
  ASSERT_EQ(5U, row.ladder.size());
  EXPECT_EQ("not done", row.ladder[0].outcome);
  EXPECT_EQ("1 of 2 suites are right", row.ladder[2].outcome);
  EXPECT_EQ("there is none", row.ladder[3].outcome);
  EXPECT_EQ("3 of 3 are right", row.ladder[4].outcome);
  EXPECT_EQ(1, exit_code(report));
  EXPECT_EQ(600U, report.clean_trials);
}

TEST(Merge, TheSameWrongBitsOnAllAreTheDrivers) {
  const FleetReport report = merged({wrong("a", "ff"), wrong("b", "ff"), wrong("c", "ff")});
  ASSERT_EQ(3U, report.rows.size());
  for (const DeviceRow& row : report.rows) {
    EXPECT_EQ(V::kDeterministicDeviation, row.verdict);
    EXPECT_EQ(Scope::kDriver, row.scope);
  }
}

TEST(Merge, DifferentWrongBitsHaveNoConsensus) {
  const FleetReport report = merged({wrong("a", "01"), wrong("b", "02"), wrong("c", "03")});
  ASSERT_EQ(3U, report.rows.size());
  for (const DeviceRow& row : report.rows) EXPECT_EQ(V::kNoConsensus, row.verdict);
}

TEST(Merge, EveryKindOfDeviceDeviatingIsTheSuite) {
  std::vector<Rollup> rollups{wrong("a", "ff"), wrong("b", "ff"), wrong("c", "ff"),
                              wrong("d", "ff")};
  for (const std::size_t i : {2U, 3U}) rollups[i].device.name = "Other";
  for (const DeviceRow& row : merged(rollups).rows) EXPECT_EQ(Scope::kSuite, row.scope);
  rollups[2] = right("c");
  rollups[2].device.name = "Other";
  rollups[3] = right("d");
  rollups[3].device.name = "Other";
  const FleetReport report = merged(rollups);
  ASSERT_EQ(2U, report.rows.size());
  EXPECT_EQ(Scope::kDriver, report.rows[0].scope);
}

TEST(Merge, OneDeviceWithoutPeersNamesNoScope) {
  const FleetReport report = merged({wrong("a", "ff")});
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kDeterministicDeviation, report.rows[0].verdict);
  EXPECT_EQ(Scope::kNone, report.rows[0].scope);
}

TEST(Merge, AllDevicesOfANodeDeviatingAreTheNode) {
  std::vector<Rollup> rollups = fleet_of(8);
  rollups.push_back(wrong("bad", "01", "x:0"));
  rollups.push_back(wrong("bad", "02", "x:1"));
  FleetReport report = merged(rollups);
  ASSERT_EQ(2U, report.rows.size());
  EXPECT_EQ(Scope::kNode, report.rows[0].scope);
  rollups.push_back(right("bad", "x:2"));
  report = merged(rollups);
  ASSERT_EQ(2U, report.rows.size());
  EXPECT_EQ(Scope::kDevice, report.rows[0].scope);
  EXPECT_EQ("1 of 2 are right", report.rows[0].ladder[3].outcome);
}

TEST(Merge, OtherBitsWithinBoundsAreCompared) {
  std::vector<Rollup> rollups = fleet_of(3);
  give_other_bits(rollups[1], "softmax");
  const FleetReport lone = merged(rollups);
  ASSERT_EQ(1U, lone.rows.size());
  EXPECT_EQ(V::kLoneDeviation, lone.rows[0].verdict);
  EXPECT_FALSE(lone.rows[0].violates);
  EXPECT_EQ(
      "softmax: within its bounds; of 3 devices that were asked the same, with its bits: 1, with "
      "the same other bits: 2",
      lone.rows[0].evidence);
  give_other_bits(rollups[2], "softmax", 2);
  EXPECT_EQ(3U, merged(rollups).count(V::kNoConsensus));
}

TEST(Merge, ARightDeviceIsNotBlamedForAWrongMajority) {
  const FleetReport report =
      merged({wrong("a", "ff"), wrong("b", "ff"), wrong("c", "ff"), right("d")});
  EXPECT_EQ(1U, report.count(V::kConformant));
  EXPECT_EQ(3U, report.count(V::kDeterministicDeviation));
}

TEST(Merge, OtherDriversAndQuestionsAreNoPeers) {
  std::vector<Rollup> rollups = fleet_of(3);
  give_other_bits(rollups[1], "softmax");
  rollups[1].device.driver = "2.0";
  EXPECT_EQ(3U, merged(rollups).count(V::kConformant));
  rollups[1].device.driver = "1.0";
  rollups[1].question.seed = 2;
  const FleetReport report = merged(rollups);
  EXPECT_EQ(3U, report.count(V::kConformant));
  EXPECT_EQ(2U, report.questions);
  EXPECT_NE(std::string::npos, notes_of(report).find("answers to 2 questions"));
}

TEST(Merge, TwoAnswersThatDifferAreIntermittent) {
  std::vector<Rollup> rollups = fleet_of(3);
  Rollup again = right("n0");
  again.origin.run = "test-2";
  give_other_bits(again, "gemm");
  rollups.push_back(again);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kIntermittent, report.rows[0].verdict);
  EXPECT_EQ("gemm: two of its 2 answers to the same question differ", report.rows[0].evidence);
  EXPECT_EQ("2 answers, not all alike", report.rows[0].ladder[0].outcome);
  EXPECT_EQ(3U, report.devices);
}

TEST(Merge, AnUpdatedDriverMayGiveOtherBits) {
  std::vector<Rollup> rollups{right("a"), right("a")};
  rollups[1].device.driver = "2.0";
  give_other_bits(rollups[1], "gemm");
  EXPECT_EQ(1U, merged(rollups).count(V::kConformant));
}

TEST(Merge, CountsNothingTwice) {
  FleetReport report = merged({right("a"), right("a"), right("b")});
  EXPECT_EQ(2U, report.devices);
  EXPECT_EQ(400U, report.clean_trials);
  EXPECT_EQ("1 roll-up is here twice and counts once\n", notes_of(report));
  report = merged({right("a"), right("a"), right("b"), right("b")});
  EXPECT_EQ("2 roll-ups are here twice and count once\n", notes_of(report));
}

TEST(Merge, TwoRunsInOneFolderAreNamedAndADeviceCountsOnce) {
  Rollup again = right("a"), other = right("b");
  again.origin.run = other.origin.run = "test-2";
  FleetReport report = merged({right("a"), again, right("b")});
  EXPECT_EQ(2U, report.devices);
  EXPECT_EQ(2U, report.runs.size());
  EXPECT_EQ(600U, report.clean_trials);  // a repeat is a trial
  EXPECT_EQ("1 device was tested by more than one run, and counts once: a x:0\n", notes_of(report));
  report = merged({right("a"), again, right("b"), other});
  EXPECT_EQ("2 devices were tested by more than one run, and count once: a x:0, b x:0\n",
            notes_of(report));
}

TEST(Merge, AnIncompleteAnswerIsNoPass) {
  Rollup partial = right("a");
  partial.completeness = Completeness::kPartial;
  partial.reason = "stopped";
  FleetReport report = merged({partial, right("b")});
  EXPECT_EQ(1U, report.count(V::kError));
  EXPECT_EQ("its answer is partial: stopped", report.rows.at(0).evidence);
  EXPECT_EQ(4, exit_code(report));
  EXPECT_EQ(200U, report.clean_trials);
  // A later start of the same task made good for it.
  report = merged({partial, right("a"), right("b")});
  EXPECT_EQ(2U, report.count(V::kConformant));
  EXPECT_EQ(0, exit_code(report));
}

TEST(Merge, ADeviceThatCannotBeUsedIsAnError) {
  Merge merge;
  merge.add(right("a"));
  merge.add(rollup_of_error({"test-1", "1", "b"}, right("b").device, "no driver"));
  const FleetReport report = merge.finish(std::nullopt);
  EXPECT_EQ(1U, report.count(V::kError));
  EXPECT_EQ("its answer is error: no driver", report.rows.at(0).evidence);
  EXPECT_EQ(4, exit_code(report));
}

TEST(Merge, TheGravestVerdictCounts) {
  std::vector<Rollup> rollups = fleet_of(3);
  Rollup both = wrong("bad", "ff");
  both.misses.push_back({"softmax.fp16.s1", "race", "", MissKind::kContradicts});
  both.total_misses = 2;
  rollups.push_back(both);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kIntermittent, report.rows[0].verdict);
  EXPECT_TRUE(report.rows[0].violates);
}

TEST(Merge, NewSeedsShowOnTheLadder) {
  for (Rollup other : {right("bad"), varying("bad", MissKind::kVaries)}) {
    other.question.seed = 2;
    std::vector<Rollup> rollups = fleet_of(3);
    rollups.push_back(wrong("bad", "ff"));
    rollups.push_back(other);
    const FleetReport report = merged(rollups);
    ASSERT_EQ(1U, report.rows.size());
    EXPECT_EQ("wrong with 0 of 1 other seeds", report.rows[0].ladder[1].outcome);
  }
}

TEST(Merge, TheLadderCountsWhatWasCompared) {
  std::vector<Rollup> rollups = fleet_of(3);
  rollups.push_back(wrong("bad", "ff"));
  rollups.push_back(wrong("bad", "ff"));
  rollups.back().origin.run = "test-2";
  EXPECT_EQ("2 answers, all alike", merged(rollups).rows.at(0).ladder[0].outcome);
  // Cut short in the suite that decides, or in another one.
  rollups.back() = cut_short(rollups.back(), 3);
  EXPECT_EQ("not done", merged(rollups).rows.at(0).ladder[0].outcome);
  std::swap(rollups.back().answers[0].asked, rollups.back().answers[1].asked);
  EXPECT_EQ("2 answers, all alike", merged(rollups).rows.at(0).ladder[0].outcome);
}

Rollup tested(const std::string& node) {
  Rollup rollup = right(node);
  rollup.self_test = SelfTest::kCaught;
  return rollup;
}

Rollup by_store(const std::string& node, char digit) {
  Rollup rollup = tested(node);
  rollup.question.golden = std::string(64, digit);
  rollup.golden = {.matched = 190, .confirmed = 3, .refuted = 0};
  return rollup;
}

TEST(Merge, AnswersWithoutASelfTestAreCounted) {
  EXPECT_EQ("1 answer comes without a self-test that noticed its fault\n",
            notes_of(merged({right("a"), tested("b")})));
  EXPECT_EQ("2 answers come without a self-test that noticed its fault\n",
            notes_of(merged({right("a"), tested("b"), right("c")})));
}

TEST(Merge, AStoreInErrorIsAMatterOfTheSuiteAndAccusesNobody) {
  std::vector<Rollup> rollups{by_store("a", 'b'), by_store("b", 'b')};
  // The reference found the store's digest wrong, and the device, which agrees with the store.
  Rollup refuting = doubted(wrong("c", "ff"));
  refuting.question.golden = std::string(64, 'b');
  refuting.golden = {.matched = 190, .confirmed = 3, .refuted = 1};
  rollups.push_back(refuting);
  const FleetReport report = merged(rollups);
  EXPECT_EQ(2U, report.count(V::kConformant));
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kError, report.rows[0].verdict);
  EXPECT_EQ(Scope::kSuite, report.rows[0].scope);
  EXPECT_EQ(4, exit_code(report));
  EXPECT_NE(std::string::npos,
            notes_of(report).find("the golden store bbbbbbbbbbbb is in error: the reference "
                                  "contradicts it in 1 of 3 answers"));
  ASSERT_EQ(1U, report.stores.size());
  EXPECT_EQ(570U, report.stores[0].matched);
}

TEST(Merge, AnswersByDifferentStoresAreNotCompared) {
  std::vector<Rollup> rollups;
  for (const char* node : {"a", "b", "c"}) rollups.push_back(by_store(node, 'b'));
  rollups.push_back(by_store("d", 'c'));
  give_other_bits(rollups.back(), "gemm", 1);
  const FleetReport report = merged(rollups);
  EXPECT_EQ(4U, report.count(V::kConformant));  // it has no peer
  EXPECT_EQ(2U, report.questions);
  EXPECT_EQ(2U, report.stores.size());
}

}  // namespace
}  // namespace halfmark::fleet
