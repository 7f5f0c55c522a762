// SPDX-License-Identifier: Apache-2.0
#include "fleet/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fleet/merge.hpp"
#include "fleet/testing/sample.hpp"

namespace halfmark::fleet {
namespace {

using testing::right;
using testing::set_rate;

std::vector<Rollup> fleet_with_rates(int devices, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> spread(0, 0.025);
  std::vector<Rollup> rollups;
  for (int i = 0; i < devices; ++i) {
    rollups.push_back(right("n" + std::to_string(i)));
    const double clock = 1400 * std::exp(spread(random) / 5);
    set_rate(rollups.back(), "fma.fp32", clock * std::exp(spread(random)), clock);
  }
  return rollups;
}

FleetReport merged(const std::vector<Rollup>& rollups) {
  Merge merge;
  for (const Rollup& rollup : rollups) merge.add(rollup);
  return merge.finish(std::nullopt);
}

TEST(Outliers, NamesTheSlowDevice) {
  std::vector<Rollup> rollups = fleet_with_rates(64, 1);
  set_rate(rollups[5], "fma.fp32", 1000, 1400);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.outliers.size());
  EXPECT_EQ("n5", report.outliers[0].node);
  EXPECT_TRUE(report.outliers[0].per_cycle);
  EXPECT_EQ(128U, report.rate_comparisons);  // raw and per cycle
  EXPECT_EQ(0, exit_code(report));           // a slow device is no wrong one
}

TEST(Outliers, ALowClockIsToldFromASlowChip) {
  std::vector<Rollup> rollups = fleet_with_rates(64, 1);
  set_rate(rollups[5], "fma.fp32", 1000, 1000);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.outliers.size());
  EXPECT_FALSE(report.outliers[0].per_cycle);
  EXPECT_TRUE(report.outliers[0].has_clock);
}

// A fast clock hides a slow chip from the raw rates alone.
TEST(Outliers, ASlowChipWithAFastClockIsNamed) {
  std::vector<Rollup> rollups = fleet_with_rates(64, 1);
  set_rate(rollups[5], "fma.fp32", 1400, 2100);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.outliers.size());
  EXPECT_TRUE(report.outliers[0].per_cycle);
}

TEST(Outliers, ADeviceWithoutAClockLeavesTheGroupRaw) {
  std::vector<Rollup> rollups = fleet_with_rates(64, 1);
  set_rate(rollups[6], "fma.fp32", 1400, 0);
  set_rate(rollups[5], "fma.fp32", 1000, 1400);
  const FleetReport report = merged(rollups);
  ASSERT_EQ(1U, report.outliers.size());
  EXPECT_FALSE(report.outliers[0].has_clock);
  EXPECT_EQ(64U, report.rate_comparisons);
}

TEST(Outliers, FastDevicesAreNotNamed) {
  std::vector<Rollup> rollups = fleet_with_rates(64, 1);
  set_rate(rollups[5], "fma.fp32", 2000, 1400);
  EXPECT_TRUE(merged(rollups).outliers.empty());
}

TEST(Outliers, FewPeersAreNotCompared) {
  std::vector<Rollup> rollups = fleet_with_rates(15, 1);
  set_rate(rollups[5], "fma.fp32", 10, 1400);
  EXPECT_TRUE(merged(rollups).outliers.empty());
  EXPECT_EQ(0U, merged(rollups).rate_comparisons);
  rollups.push_back(right("one more"));
  set_rate(rollups.back(), "fma.fp32", 1400, 1400);
  EXPECT_EQ(1U, merged(rollups).outliers.size());
}

TEST(Outliers, OtherKindsAreNoPeers) {
  std::vector<Rollup> rollups = fleet_with_rates(32, 1);
  for (std::size_t i = 0; i < 16; ++i) {
    rollups[i].device.name = "Slower";
    rollups[i].rates[0].per_second /= 2;
  }
  EXPECT_TRUE(merged(rollups).outliers.empty());
}

// The driver was updated and taken back, or threads added the answers in this order.
TEST(Outliers, ADeviceCountsOnceInEachOfItsGroups) {
  std::vector<Rollup> rollups(3, right("n0"));
  rollups[1].device.driver = "2.0";
  rollups[2].origin.run = "test-2";
  const FleetReport report = merged(rollups);
  ASSERT_EQ(2U, report.groups.size());
  for (const PeerGroup& group : report.groups) EXPECT_EQ(1U, group.devices) << group.name;
}

TEST(Outliers, ALossBelowTwoPercentIsNotNamed) {
  std::vector<Rollup> rollups;
  for (int i = 0; i < 64; ++i) {
    rollups.push_back(right("n" + std::to_string(i)));
    set_rate(rollups.back(), "copy", 1000);
  }
  set_rate(rollups[3], "copy", 981);
  EXPECT_TRUE(merged(rollups).outliers.empty());
  set_rate(rollups[3], "copy", 979);
  EXPECT_EQ(1U, merged(rollups).outliers.size());
}

// 0.01 false flags are promised for each sweep over normal rates, whatever the size of the fleet.
TEST(Outliers, FlagsAsFewAsPromised) {
  const struct {
    int devices, sweeps;
  } rows[] = {{16, 2000}, {64, 600}, {1000, 60}};
  for (const auto& row : rows) {
    std::size_t flags = 0;
    for (int sweep = 0; sweep < row.sweeps; ++sweep)
      flags += merged(fleet_with_rates(row.devices, 1000 + static_cast<std::uint64_t>(sweep)))
                   .outliers.size();
    // Five Poisson deviations above what is expected.
    const double expected = 0.01 * row.sweeps;
    EXPECT_LE(static_cast<double>(flags), expected + 5 * std::sqrt(expected)) << row.devices;
  }
}

}  // namespace
}  // namespace halfmark::fleet
