// SPDX-License-Identifier: Apache-2.0
// A simulated fleet with planted defects: each is found with its verdict, and nothing else is
// accused. HALFMARK_FLEET_DEVICES sets its size; HALFMARK_FLEET_FOLDER names a folder in which the
// roll-ups are left for `halfmark fleet merge`.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "fleet/merge.hpp"
#include "fleet/testing/sample.hpp"
#include "fleet/writers.hpp"

namespace halfmark::fleet {
namespace {

using V = DeviceVerdict;

constexpr std::uint64_t kPerNode = 8;

std::uint64_t size_of_fleet() {
  const char* size = std::getenv("HALFMARK_FLEET_DEVICES");
  return size == nullptr ? 8000 : std::strtoull(size, nullptr, 10);
}

// What is planted in every so many-th device.
enum class Planted {
  kNothing,
  kWrong,
  kOtherBits,
  kVarying,
  kContradicting,
  kKilled,
  kSlow,
  kSlowClock
};

Planted planted_in(std::uint64_t device) {
  switch (device % 1000) {
    case 17:
      return Planted::kWrong;
    case 133:
      return Planted::kOtherBits;
    case 251:
      return Planted::kVarying;
    case 402:
      return Planted::kContradicting;
    case 555:
      return Planted::kKilled;
    case 703:
      return Planted::kSlow;
    case 864:
      return Planted::kSlowClock;
    default:
      return Planted::kNothing;
  }
}

// Two kinds of devices; the driver of the second has an operator that is wrong on all of them.
Rollup simulated(std::uint64_t device, std::mt19937_64& random) {
  const std::string node = "n" + std::to_string(device / kPerNode);
  const std::string selector = "x:" + std::to_string(device % kPerNode);
  const bool second = device / kPerNode % 4 == 3;
  Rollup rollup =
      second ? testing::wrong(node, "of the driver", selector) : testing::right(node, selector);
  if (second) rollup.device.name = "Other";
  for (const char* suite : {"activation", "arithmetic", "convert", "cross_entropy", "elementary",
                            "layernorm", "loss", "loss_scaled_backward", "loss_scaling",
                            "optimizer", "rates", "reduction", "statistics", "transfer"})
    rollup.answers.push_back({.suite = suite, .passed = 50, .missed = 0, .asked = 3, .bits = 4});
  const Planted planted = planted_in(device);
  std::normal_distribution<double> spread(0, 0.025);
  for (const char* rate : {"fma.fp32", "fma.fp16", "gemm.fp16"}) {
    const double clock =
        1400 * std::exp(spread(random) / 5) * (planted == Planted::kSlowClock ? 0.7 : 1);
    const double slow = planted == Planted::kSlow ? 0.7 : 1;
    testing::set_rate(rollup, rate, clock * std::exp(spread(random)) * slow, clock);
  }
  testing::set_rate(rollup, "copy", 1000 * std::exp(spread(random)));
  if (planted == Planted::kWrong) {
    rollup.answers[1].missed = 1;
    rollup.answers[1].bits += random() | 1;
    rollup.misses.push_back({"softmax.fp16.s1", "unexplained", "x", MissKind::kViolation});
    rollup.total_misses = rollup.misses.size();
  }
  if (planted == Planted::kOtherBits) testing::give_other_bits(rollup, "softmax", random() | 1);
  if (planted == Planted::kContradicting) {
    rollup.answers[1].asked = 2;
    rollup.misses.push_back({"softmax.fp16.s1", "race", "", MissKind::kContradicts});
    rollup.total_misses = rollup.misses.size();
  }
  return rollup;
}

std::string name_of_device(const std::string& node, const std::string& selector) {
  return node + " " + selector;
}

struct Truth {
  std::map<std::string, V> verdicts;
  std::set<std::string> slow, slow_by_clock;
};

void expect(Truth& truth, const Rollup& rollup, Planted planted) {
  const std::string name = name_of_device(rollup.origin.node, rollup.device.selector);
  const bool second = rollup.device.name == "Other";
  if (second) truth.verdicts[name] = V::kDeterministicDeviation;
  if (planted == Planted::kWrong || planted == Planted::kOtherBits)
    truth.verdicts[name] = V::kLoneDeviation;
  if (planted == Planted::kVarying || planted == Planted::kContradicting)
    truth.verdicts[name] = V::kIntermittent;
  if (planted == Planted::kKilled) truth.verdicts[name] = V::kAbsent;
  if (planted == Planted::kSlow) truth.slow.insert(name);
  if (planted == Planted::kSlowClock) truth.slow_by_clock.insert(name);
}

// The merge of the printed roll-up, as of a file.
void add(Merge& merge, const Rollup& rollup) {
  const std::string text = print(rollup);
  merge.add(parse_rollup(text));
  const char* folder = std::getenv("HALFMARK_FLEET_FOLDER");
  if (folder == nullptr) return;
  std::string selector = rollup.device.selector;
  std::ranges::replace(selector, ':', '-');
  const auto place =
      std::filesystem::path(folder) / rollup.origin.run / rollup.origin.node / "s1" / selector;
  std::filesystem::create_directories(place);
  std::ofstream(place / "rollup.json") << text;
}

void simulate(std::uint64_t devices, Merge& merge, Truth& truth, std::string& roster) {
  std::mt19937_64 random(20261123);
  for (std::uint64_t device = 0; device < devices; ++device) {
    const Rollup rollup = simulated(device, random);
    const Planted planted = planted_in(device);
    expect(truth, rollup, planted);
    if (device % kPerNode == 0) roster += rollup.origin.node + " 8\n";
    if (planted == Planted::kKilled) continue;
    add(merge, rollup);
    if (planted == Planted::kVarying) {  // a second run gives other bits
      Rollup again = rollup;
      again.origin.run = "test-2";
      testing::give_other_bits(again, "softmax", 5);
      add(merge, again);
    }
  }
}

// Absent devices have no name of their own: the roster knows how many a node has.
void check_verdicts(const Truth& truth, const FleetReport& report) {
  std::map<std::string, V> expected = truth.verdicts, found;
  std::map<std::string, int> absent_expected, absent_found;
  for (auto row = expected.begin(); row != expected.end();) {
    const bool absent = row->second == V::kAbsent;
    if (absent) ++absent_expected[row->first.substr(0, row->first.find(' '))];
    row = absent ? expected.erase(row) : std::next(row);
  }
  for (const DeviceRow& row : report.rows) {
    if (row.verdict == V::kAbsent) {
      ++absent_found[row.node];
    } else {
      found[name_of_device(row.node, row.selector)] = row.verdict;
    }
  }
  EXPECT_EQ(expected, found);
  EXPECT_EQ(absent_expected, absent_found);
}

void check_outliers(const Truth& truth, const FleetReport& report) {
  std::set<std::string> slow, by_clock, per_cycle;
  std::size_t false_flags = 0;
  for (const Outlier& one : report.outliers) {
    const std::string name = name_of_device(one.node, one.selector);
    if (truth.slow.contains(name)) {
      slow.insert(name);
      if (one.per_cycle) per_cycle.insert(name);
    } else if (truth.slow_by_clock.contains(name)) {
      by_clock.insert(name);
      EXPECT_FALSE(one.per_cycle) << name;
    } else {
      ++false_flags;
    }
  }
  EXPECT_EQ(truth.slow, slow);
  EXPECT_EQ(truth.slow, per_cycle);
  EXPECT_EQ(truth.slow_by_clock, by_clock);
  EXPECT_EQ(0U, false_flags);  // 0.01 are expected
}

TEST(Simulation, FindsWhatIsPlantedAndNothingElse) {
  const std::uint64_t devices = size_of_fleet();
  const auto start = std::chrono::steady_clock::now();
  Merge merge;
  Truth truth;
  std::string roster;
  simulate(devices, merge, truth, roster);
  const FleetReport report = merge.finish(parse_roster(roster));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(devices, report.devices);
  check_verdicts(truth, report);
  check_outliers(truth, report);
  EXPECT_EQ(1, exit_code(report));
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("%llu devices in %.2f s, %ld MiB, %zu outliers of %llu comparisons\n",
              static_cast<unsigned long long>(devices), took.count(), usage.ru_maxrss / 1024,
              report.outliers.size(), static_cast<unsigned long long>(report.rate_comparisons));
}

}  // namespace
}  // namespace halfmark::fleet
