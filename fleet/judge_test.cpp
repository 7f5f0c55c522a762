// SPDX-License-Identifier: Apache-2.0
// Whose answers count as evidence about a device: cases that peers had for certain, variations that
// nothing permits, and no answer that proves nothing.
#include "fleet/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fleet/testing/sample.hpp"

namespace halfmark::fleet {
namespace {

using testing::cut_short;
using testing::doubted;
using testing::fleet_of;
using testing::merged;
using testing::right;
using testing::varying;
using testing::wrong;
using V = DeviceVerdict;

std::size_t suspects_in(const FleetReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.rows, [](const DeviceRow& row) { return is_suspect(row.verdict); }));
}

TEST(Judge, OneThatVariesAloneAgainstAPromiseIsIntermittent) {
  std::vector<Rollup> rollups = fleet_of(3);
  rollups.push_back(varying("bad", MissKind::kContradicts));
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kIntermittent, report.rows[0].verdict);
  EXPECT_EQ(
      "gemm.fp16.s1 (race) changes from call to call; of 4 devices that were asked the same, it "
      "does on 1",
      report.rows[0].evidence);
}

TEST(Judge, OneThatVariesAloneAsAFreedomPermitsIsNotDrained) {
  std::vector<Rollup> rollups = fleet_of(3);
  rollups.push_back(varying("free", MissKind::kVaries));
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kNondeterministicKernel, report.rows[0].verdict);
  EXPECT_EQ(0, exit_code(report));
}

TEST(Judge, OneThatVariesWithoutPeersSaysSo) {
  const FleetReport report = merged({varying("a", MissKind::kContradicts)});
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ("gemm.fp16.s1 (race) changes from call to call; it has no peer that was asked the same",
            report.rows[0].evidence);
}

TEST(Judge, AllThatVaryHaveANondeterministicKernel) {
  const std::vector<Rollup> rollups{varying("a"), varying("b"), varying("c")};
  FleetReport report = merged(rollups);
  EXPECT_EQ(3U, report.count(V::kNondeterministicKernel));
  EXPECT_EQ(0, exit_code(report));
  // What no freedom permits fails nevertheless.
  report = merged({varying("a", MissKind::kContradicts), varying("b", MissKind::kContradicts)});
  EXPECT_EQ(2U, report.count(V::kNondeterministicKernel));
  EXPECT_EQ(1, exit_code(report));
}

// Nobody else was asked the same part, so that the case itself is looked at.
TEST(Judge, AWrongCaseOfAPartialAnswerIsComparedWithPeers) {
  Rollup partial = wrong("bad", "ff");
  partial.completeness = Completeness::kPartial;
  partial.reason = "killed";
  partial.answers[0].asked = 3;
  std::vector<Rollup> rollups = fleet_of(4);
  rollups.push_back(partial);
  FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.rows.size());
  EXPECT_EQ(V::kLoneDeviation, report.rows[0].verdict);
  for (Rollup& rollup : rollups) {
    if (rollup.origin.node != "bad") rollup = wrong(rollup.origin.node, "ff");
  }
  report = merged(rollups);
  EXPECT_EQ(5U, report.count(V::kDeterministicDeviation));
}

TEST(Judge, AnswersThatWereCutShortBeforeACaseSayNothingOfIt) {
  std::vector<Rollup> rollups;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const std::string node = "n" + std::to_string(i);
    rollups.push_back(cut_short(i < 2 ? wrong(node, "ff") : right(node), 100 + i));
  }
  FleetReport report = merged(rollups);
  EXPECT_EQ(0U, suspects_in(report));
  EXPECT_EQ(2U, report.count(V::kDeterministicDeviation));
  EXPECT_EQ(8U, report.count(V::kError));
  for (const std::size_t i : {0U, 1U}) {
    rollups[i].answers[0].missed = 0;
    rollups[i].misses[0].kind = MissKind::kContradicts;
  }
  report = merged(rollups);
  EXPECT_EQ(0U, suspects_in(report));
  EXPECT_EQ(10U, report.count(V::kError));
}

TEST(Judge, AnAnswerThatDoesNotListAllItsMissesSaysNothingOfACase) {
  Rollup crowded = right("a");
  crowded.answers[0].missed = crowded.total_misses = kMostMisses + 1;
  for (std::size_t i = 0; i < kMostMisses; ++i)
    crowded.misses.push_back({"gemm.bf16.s" + std::to_string(i), "wrong", "ee", {}});
  std::vector<Rollup> rollups{crowded, crowded, crowded, cut_short(wrong("bad", "ff"), 3)};
  rollups[1].origin.node = "b";
  rollups[2].origin.node = "c";
  const FleetReport report = merged(rollups);
  EXPECT_EQ(0U, suspects_in(report));
  EXPECT_EQ(4U, report.count(V::kDeterministicDeviation));
}

// The whole answer has the vote on what was asked alike, and no peer was asked what the other was.
TEST(Judge, AnAnswerThatWasCutShortBesideAWholeOneIsNoDissent) {
  std::vector<Rollup> rollups = fleet_of(3);
  rollups.push_back(cut_short(right("n0"), 3));
  rollups.back().origin.run = "test-2";
  EXPECT_EQ(3U, merged(rollups).count(V::kConformant));
}

TEST(Judge, WithoutAnInjectedFaultThatWasNoticedNobodyConforms) {
  for (const SelfTest test : {SelfTest::kMissed, SelfTest::kNotDone}) {
    std::vector<Rollup> rollups = fleet_of(3);
    rollups[0] = doubted(rollups[0]);
    rollups[0].self_test = test;
    // Neither does an answer of the same run to another question help.
    rollups.push_back(right("n0"));
    rollups.back().question.seed = 2;
    const FleetReport report = merged(rollups);
    ASSERT_EQ(1U, report.rows.size());
    EXPECT_EQ(V::kError, report.rows[0].verdict);
    EXPECT_EQ("its answer is partial: for this", report.rows[0].evidence);
    EXPECT_EQ(Scope::kDevice, report.rows[0].scope);
    EXPECT_EQ(4, exit_code(report));
    rollups.push_back(right("n0"));  // the same question again, and nothing to doubt
    EXPECT_TRUE(merged(rollups).rows.empty());
  }
}

TEST(Judge, WhoeverNoticesNoFaultAccusesNobodyAndHasNoVote) {
  for (const SelfTest test : {SelfTest::kMissed, SelfTest::kNotDone}) {
    std::vector<Rollup> rollups = fleet_of(3);
    rollups.push_back(doubted(wrong("blind", "ff")));
    rollups.back().self_test = test;
    FleetReport report = merged(rollups);
    ASSERT_EQ(1U, report.rows.size());
    EXPECT_EQ(V::kError, report.rows[0].verdict);
    EXPECT_EQ(4, exit_code(report));
    // Three that notice nothing, and say that all is right, are no majority against one.
    for (std::size_t i = 0; i < 3; ++i) {
      rollups[i] = doubted(rollups[i]);
      rollups[i].self_test = test;
    }
    rollups[3] = wrong("seeing", "ff");
    report = merged(rollups);
    EXPECT_EQ(0U, suspects_in(report));
    EXPECT_EQ(1U, report.count(V::kDeterministicDeviation));
    // Nor do its answers differ from what proves nothing.
    rollups = {doubted(wrong("a", "ff")), right("a")};
    rollups[0].self_test = test;
    EXPECT_EQ(1U, merged(rollups).count(V::kConformant));
  }
}

}  // namespace
}  // namespace halfmark::fleet
