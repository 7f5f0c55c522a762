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
  static_cast<void>(suite.refer(c, suite.inputs(c), models::Machine{}));
  return seconds_since(start);
}

}  // namespace

Estimate estimate_reference(std::span<const Case> cases, double seconds_allowed) {
  constexpr std::size_t kMostPerSuite = 24;
  Estimate estimate;
  const auto groups = by_suite(cases);
  const double allowed_per_suite =
      seconds_allowed / static_cast<double>(std::max<std::size_t>(groups.size(), 1));
  for (const auto& [name, group] : groups) {
    const std::size_t wanted = std::min(kMostPerSuite, group.size());
    const auto start = Clock::now();
    double sum = 0;
    std::size_t sampled = 0;
    // The middle of each of `wanted` equal parts; cheap cases first.
    while (sampled < wanted && (sampled == 0 || seconds_since(start) < allowed_per_suite)) {
      sum += reference_seconds(*group[(2 * sampled + 1) * group.size() / (2 * wanted)]);
      ++sampled;
    }
    estimate.reference_seconds +=
        sum * static_cast<double>(group.size()) / static_cast<double>(sampled);
    estimate.sampled_cases += sampled;
    estimate.complete = estimate.complete && sampled == wanted;
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
