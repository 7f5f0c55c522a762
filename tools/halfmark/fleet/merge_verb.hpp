// SPDX-License-Identifier: Apache-2.0
// `halfmark fleet merge`: reads folders, writes the report, the drain list and the metrics. Touches
// no device.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "fleet/drain.hpp"

namespace halfmark::tools {

struct FleetMergeOptions {
  std::vector<std::filesystem::path> folders;
  std::optional<std::filesystem::path> roster, metrics, json, collect;
  std::vector<std::filesystem::path> earlier;  // --json of earlier sweeps
  std::string drain;                           // a form; empty: the report, not a list of nodes
  double drain_cap_percent = fleet::kDrainCapPercent;
};

/// Returns the exit code. With --drain, `out` gets the list alone and `err` the report.
[[nodiscard]] int fleet_merge(const FleetMergeOptions& options, std::ostream& out,
                              std::ostream& err);

}  // namespace halfmark::tools
