// SPDX-License-Identifier: Apache-2.0
// The retest ladder of a device that was found wrong: the same seed, a new seed, another kernel, a
// sibling device, another node. Decides what the fleet's answers already say about each step, and
// which command is next.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "fleet/fleet_report.hpp"
#include "fleet/judge.hpp"
#include "fleet/kept.hpp"

namespace halfmark::fleet {

/// How many devices are right, of each node and of each kind.
class Siblings {
 public:
  void add(const KeptDevice& device, DeviceVerdict verdict);
  struct Tally {
    std::uint64_t devices = 0, right = 0;
  };
  [[nodiscard]] Tally on_node(const KeptDevice& device, std::uint32_t peers) const;
  [[nodiscard]] Tally on_other_nodes(const KeptDevice& device, std::uint32_t peers) const;

 private:
  std::map<std::uint32_t, Tally> by_peers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Tally> by_node_;
};

/// Fills `ladder` and `next` of the row.
void climb(const KeptDevice& device, const Judged& judged, const Siblings& siblings,
           DeviceRow& row);

}  // namespace halfmark::fleet
