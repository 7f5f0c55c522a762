// SPDX-License-Identifier: Apache-2.0
// Since when a device is wrong, which ones come back, and what is no report of a sweep.
#include "fleet/history.hpp"

#include <gtest/gtest.h>

#include "fleet/writers.hpp"

namespace halfmark::fleet {
namespace {

DeviceRow row_of(const std::string& node, DeviceVerdict verdict) {
  return {.node = node,
          .selector = "x",
          .devices = 1,
          .verdict = verdict,
          .scope = Scope::kDevice,
          .violates = true,
          .evidence = "bits",
          .cases = {},
          .card = {},
          .ladder = {},
          .next = {}};
}

FleetReport sweep(const std::string& day, const std::vector<std::string>& wrong,
                  DeviceVerdict verdict = DeviceVerdict::kLoneDeviation) {
  FleetReport report;
  for (const std::string& node : wrong) report.rows.push_back(row_of(node, verdict));
  report.first_started = report.last_started = day;
  return report;
}

EarlierSweep as_read(const FleetReport& report) { return parse_sweep(to_json(report).dump()); }

TEST(History, SaysSinceWhenADeviceIsWrong) {
  FleetReport now = sweep("d4", {"always", "back", "new"});
  add_history({as_read(sweep("d2", {"always", "gone"})), as_read(sweep("d3", {"always"})),
               as_read(sweep("d1", {"always", "back", "gone"}))},
              now);
  EXPECT_EQ(3U, now.earlier_sweeps);
  EXPECT_EQ("d1", now.rows[0].since);
  EXPECT_EQ(3U, now.rows[0].wrong_before);
  EXPECT_EQ("d4", now.rows[1].since);  // it was right in between
  EXPECT_EQ(1U, now.rows[1].wrong_before);
  EXPECT_EQ("d4", now.rows[2].since);
  EXPECT_EQ(0U, now.rows[2].wrong_before);
  ASSERT_EQ(1U, now.recurrences.size());
  const Recurrence& gone = now.recurrences[0];
  EXPECT_EQ("gone", gone.node);
  EXPECT_EQ("lone-deviation", gone.verdict);
  EXPECT_EQ("d2", gone.last);
  EXPECT_EQ(2U, gone.sweeps);
}

TEST(History, WhatIsNoFindingIsABreak) {
  for (const DeviceVerdict verdict :
       {DeviceVerdict::kAbsent, DeviceVerdict::kError, DeviceVerdict::kNondeterministicKernel}) {
    FleetReport now = sweep("d3", {"again"});
    add_history({as_read(sweep("d1", {"again"})), as_read(sweep("d2", {"again", "gone"}, verdict))},
                now);
    EXPECT_EQ("d3", now.rows[0].since) << name_of(verdict);
    EXPECT_EQ(1U, now.rows[0].wrong_before) << name_of(verdict);
    EXPECT_TRUE(now.recurrences.empty()) << name_of(verdict);
    // The other way round: it was wrong, and nothing is found now.
    now = sweep("d3", {"again"}, verdict);
    add_history({as_read(sweep("d1", {"again"}))}, now);
    EXPECT_EQ("", now.rows[0].since) << name_of(verdict);
    ASSERT_EQ(1U, now.recurrences.size()) << name_of(verdict);
    EXPECT_EQ("d1", now.recurrences[0].last) << name_of(verdict);
  }
}

TEST(History, IsEmptyWithoutEarlierSweeps) {
  FleetReport now = sweep("d1", {"a"});
  add_history({}, now);
  EXPECT_EQ("", now.rows[0].since);
  EXPECT_TRUE(now.recurrences.empty());
}

TEST(History, RefusesWhatIsNoReport) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(parse_sweep(text));
    } catch (const RollupError& error) {
      return error.what();
    }
    return "read";
  };
  nlohmann::json j = to_json(sweep("d1", {"a"}));
  EXPECT_EQ("read", refusal(j.dump()));
  EXPECT_NE("read", refusal(j.dump().substr(0, 50)));
  EXPECT_EQ("it is no report of `halfmark fleet merge --json`", refusal("{}"));
  j["schema"] = "halfmark-fleet/2";
  EXPECT_EQ("its schema is not halfmark-fleet/1", refusal(j.dump()));
  j["schema"] = kFleetSchema;
  j.erase("started");
  EXPECT_EQ("it does not say when it was made: an older version wrote it", refusal(j.dump()));
}

}  // namespace
}  // namespace halfmark::fleet
