// SPDX-License-Identifier: Apache-2.0
// What an agent writes about itself: which task on which node it is, which devices it began to
// test, and whether it came to its end. It is what makes the absence of an answer visible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/rollup.hpp"

namespace halfmark::fleet {

inline constexpr std::string_view kAgentSchema = "halfmark-agent/1";

struct AgentRecord {
  Origin origin;
  std::string launcher, tier, started;
  std::uint64_t tasks = 0;           // of the run; 0: the launcher does not say
  std::uint64_t attempts = 1;        // starts of this task
  std::vector<std::string> devices;  // selectors
  bool finished = false;
  std::string error;               // why no device could be tested; empty: there are devices
  std::int64_t clock_ahead_s = 0;  // of the node, against the clock of the shared folder
  bool operator==(const AgentRecord&) const = default;
};

[[nodiscard]] std::string print(const AgentRecord& record);
/// Throws RollupError.
[[nodiscard]] AgentRecord parse_agent(std::string_view text);

}  // namespace halfmark::fleet
