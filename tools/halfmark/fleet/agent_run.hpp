// SPDX-License-Identifier: Apache-2.0
// `halfmark fleet run`: the agent of one node. It tests every device of the node at the same time,
// each by a `halfmark run` of its own, within the budget of the tier, and leaves its files in a
// folder that all agents share. It waits for no other agent.
//
//   DIR/RUN/NODE.TASK/agent.json                      who began to test what
//   DIR/RUN/NODE.TASK/TIER-sSEED/DEVICE/rollup.json   what fleet merge reads, beside the scorecard
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tools/halfmark/options.hpp"

namespace halfmark::tools {

struct FleetRunOptions {
  std::filesystem::path folder;
  std::string tier = "pulse";
  DeviceOptions devices;
  std::vector<std::string> suites, filters;
  std::uint64_t seed = 1;
  double soak_seconds = 3600;
  std::string soak_mode = "deep";
  std::filesystem::path golden;  // the golden store; empty: none
  std::string run, node;         // empty: as the launcher says
  std::uint64_t tasks = 0;       // 0: as the launcher says
};

/// Returns the exit code: as that of a run over all devices of the node.
[[nodiscard]] int fleet_run(const FleetRunOptions& options, std::ostream& out, std::ostream& err);

}  // namespace halfmark::tools
