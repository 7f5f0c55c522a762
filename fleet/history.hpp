// SPDX-License-Identifier: Apache-2.0
// Earlier sweeps of the same fleet, as their JSON reports say: since when a device is wrong, and
// which ones were wrong before. Decides what a break is. A report names only devices that are not
// plainly conformant, so a device that was not asked in an earlier sweep counts as right there, and
// so does one that was absent, in error or had a nondeterministic kernel.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/fleet_report.hpp"
#include "fleet/rollup.hpp"

namespace halfmark::fleet {

inline constexpr std::size_t kMostSweepBytes = std::size_t{128} << 20;

struct EarlierSweep {
  std::string started;                                               // of its last answer
  std::map<std::pair<std::string, std::string>, std::string> wrong;  // node, selector -> verdict
};

/// Throws RollupError with one line.
[[nodiscard]] EarlierSweep parse_sweep(std::string_view json_text);

/// Completes the rows and recurrences of a report; the order of the sweeps does not matter.
void add_history(std::vector<EarlierSweep> sweeps, FleetReport& report);

}  // namespace halfmark::fleet
