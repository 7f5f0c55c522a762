// SPDX-License-Identifier: Apache-2.0
// The nodes that should get no work until somebody has looked, as commands for a scheduler or as
// plain names. Decides who is listed, and when a list would be too long to be believed: a bad
// release of a driver or of Halfmark must not drain a fleet. Nothing is ever drained from here.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_report.hpp"

namespace halfmark::fleet {

enum class DrainForm { kSlurm, kKubernetes, kPlain };

[[nodiscard]] std::optional<DrainForm> parse_drain_form(std::string_view name);

inline constexpr double kDrainCapPercent = 5;

/// Who would be listed under the cap; with `withheld`, so many nodes are not, because they are too
/// many or their names are none.
struct DrainList {
  std::vector<std::string> nodes;
  std::uint64_t withheld = 0;
};
[[nodiscard]] DrainList drain_list_of(const FleetReport& report, double cap_percent);

/// Lists nodes with a lone deviation or an intermittent device. If they are more than `cap_percent`
/// of the nodes, and more than one, only a comment is written, which says so. Absent nodes, and
/// names that no command should contain, are comments too. Returns whether every node is listed.
bool write_drain_list(const FleetReport& report, DrainForm form, double cap_percent,
                      std::ostream& out);

}  // namespace halfmark::fleet
