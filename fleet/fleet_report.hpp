// SPDX-License-Identifier: Apache-2.0
// The one answer about a fleet, as plain data: what merge.hpp makes and writers.hpp prints. Only
// devices that are not plainly conformant have a row, so that it stays small.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fleet/verdict.hpp"

namespace halfmark::fleet {

inline constexpr std::string_view kFleetSchema = "halfmark-fleet/1";

/// A step that narrows down what is wrong, and what is already known of it.
struct LadderStep {
  std::string step;     // "same seed", "new seed", "other kernel", "sibling device", "other node"
  std::string outcome;  // "not done", or what it showed
};

struct DeviceRow {
  std::string node, selector;  // selector "-": a device that never answered and has no name
  std::uint64_t devices = 1;   // more: absent devices of one node
  DeviceVerdict verdict = DeviceVerdict::kConformant;
  Scope scope = Scope::kNone;
  bool violates = false;  // breaks a promise, whatever its peers do
  std::string evidence;   // one sentence
  std::vector<std::string> cases;
  std::string card;  // digest of the scorecard, if there is one
  std::vector<LadderStep> ladder;
  std::string next;  // the first step that is not done, as a command
  /// With reports of earlier sweeps: in how many of them it was found wrong, and the start of the
  /// first of those without a break up to now.
  std::uint64_t wrong_before = 0;
  std::string since = {};
};

struct Outlier {
  std::string node, selector, rate;
  double value = 0, median = 0;  // 1e9 per second, or the same per cycle
  double spreads_below = 0, cut = 0;
  bool per_cycle = false;  // also slow per cycle: the chip or its driver, not its clock
  bool has_clock = false;
};

struct PeerGroup {
  std::string name;  // device, driver
  std::uint64_t devices = 0;
  bool judged_rates = false;
};

struct RunRow {
  std::string run;
  std::uint64_t tasks_expected = 0;  // 0: nobody said
  std::uint64_t tasks_answered = 0;
  std::uint64_t nodes = 0;
};

/// What all answers together learned of one golden store.
struct StoreRow {
  std::string store;                                      // the first 12 digits of its SHA-256
  std::uint64_t answers = 0;                              // that rest on it
  std::uint64_t matched = 0, confirmed = 0, refuted = 0;  // cases
  std::uint64_t refuting_answers = 0;
};

/// A device that is not wrong now, and was in earlier sweeps.
struct Recurrence {
  std::string node, selector, verdict, last;  // of the last sweep in which it was wrong
  std::uint64_t sweeps = 0;                   // in which it was wrong
};

struct FleetReport {
  std::array<std::uint64_t, std::size(kAllDeviceVerdicts)> counts{};
  std::uint64_t devices = 0, nodes_answered = 0;
  std::uint64_t nodes_expected = 0;  // 0: there is no roster
  std::uint64_t rollups = 0, questions = 0;
  std::vector<RunRow> runs;
  std::vector<PeerGroup> groups;
  std::vector<DeviceRow> rows;  // gravest first
  std::vector<Outlier> outliers;
  std::uint64_t rate_comparisons = 0;
  std::uint64_t clean_trials = 0;  // passed cases of devices that are found right
  std::vector<std::string> notes;  // what somebody should know about the folder
  std::vector<StoreRow> stores;
  std::uint64_t self_tests = 0, untested = 0;  // answers with a self-test that noticed, and others
  std::string first_started, last_started;     // of the answers, by their own clocks
  std::uint64_t earlier_sweeps = 0;            // whose reports were given
  std::vector<Recurrence> recurrences;

  [[nodiscard]] std::uint64_t count(DeviceVerdict verdict) const {
    return counts[static_cast<std::size_t>(verdict)];
  }
};

/// 1: a device was found wrong; else 4 if one is absent or in error; else 0.
[[nodiscard]] int exit_code(const FleetReport& report);

}  // namespace halfmark::fleet
