// SPDX-License-Identifier: Apache-2.0
// Many roll-ups and agents' records in one file, so that merges form a tree: one merge for each
// rack collects, and the last one reads a file for each rack instead of a folder for each device.
// Decides the form, one line each and a last one with their number; what a line says stays as it
// was.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "fleet/agent.hpp"
#include "fleet/rollup.hpp"

namespace halfmark::fleet {

/// The end of the names of such files.
inline constexpr std::string_view kCollectedSuffix = ".rollups.jsonl";

/// Writes lines, and the last line at finish().
class Collector {
 public:
  explicit Collector(std::ostream& out) : out_(out) {}
  void add(const Rollup& rollup) { add_line(print(rollup)); }
  void add(const AgentRecord& agent) { add_line(print(agent)); }
  void finish();

 private:
  void add_line(const std::string& line);

  std::ostream& out_;
  std::uint64_t lines_ = 0;
};

struct CollectedSinks {
  std::function<void(const Rollup&)> rollup;
  std::function<void(const AgentRecord&)> agent;
  std::function<void(const std::string& what)> unusable;  // one line that names the line or the end
};

/// Reads every line that can be read. A file without its last line was cut off.
void read_collected(std::istream& in, const CollectedSinks& sinks);

}  // namespace halfmark::fleet
