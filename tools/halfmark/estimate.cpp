// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

using Clock = std::chrono::steady_clock;
using suites::Case;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string_view, std::vector<const Case*>> by_suite(std::span<const Case> cases) {
  std::map<std::string_view, std::vector<const Case*>> groups;
  for (const Case& c : cases) groups[c.suite].push_back(&c);
  return groups;
}

double reference_seconds(const Case& c) {
  const suites::Suite& suite = suites::find_suite(c.suite);
  const auto start = Clock::now();
  const auto problem = suite.bind(c);
  static_cast<void>(problem->expect(problem->inputs()));
  return seconds_since(start);
}

constexpr std::size_t kMostPerSuite = 64;

struct Sample {
  std::vector<const Case*> group;
  double seconds = 0;
  std::size_t taken = 0;
};

// Any first few of these places are evenly spread (a golden-section sequence); if a suite is small
// enough to take all places, none repeats.
std::size_t place(std::size_t turn, std::size_t size) {
  if (size <= kMostPerSuite) return turn;
  constexpr double kGoldenSection = 0.6180339887498949;
  const double at = static_cast<double>(turn + 1) * kGoldenSection;
  return static_cast<std::size_t>((at - std::floor(at)) * static_cast<double>(size));
}

void take_one(Sample& sample, std::size_t turn) {
  if (turn >= sample.group.size()) return;
  sample.seconds += reference_seconds(*sample.group[place(turn, sample.group.size())]);
  ++sample.taken;
}

}  // namespace

Estimate estimate_reference(std::span<const Case> cases, double seconds_allowed) {
  std::vector<Sample> samples;
  for (const auto& [name, group] : by_suite(cases)) samples.push_back({.group = group});
  const auto start = Clock::now();
  // In turns, so that all suites have equally many samples whenever the time is over.
  for (std::size_t turn = 0; turn < kMostPerSuite; ++turn) {
    for (Sample& sample : samples) {
      if (turn > 0 && seconds_since(start) >= seconds_allowed) break;
      take_one(sample, turn);
    }
  }
  Estimate estimate;
  for (const Sample& sample : samples) {
    estimate.reference_seconds += sample.seconds * static_cast<double>(sample.group.size()) /
                                  static_cast<double>(sample.taken);
    estimate.sampled_cases += sample.taken;
    estimate.complete =
        estimate.complete && sample.taken == std::min(kMostPerSuite, sample.group.size());
  }
  return estimate;
}

std::string say_duration(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace halfmark::tools
