// SPDX-License-Identifier: Apache-2.0
// Many roll-ups in, one answer about the fleet out. A fold: each roll-up is reduced to some hundred
// bytes when it is added, in any order, and verdicts are decided at the end, when all peers are
// known. Decides who is a peer of whom, what counts once, and what is worth a note.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fleet/agent.hpp"
#include "fleet/fleet_report.hpp"
#include "fleet/rollup.hpp"
#include "fleet/roster.hpp"

namespace halfmark::fleet {

class Merge {
 public:
  Merge();
  ~Merge();
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  /// A roll-up that was already added counts once, with a note. This alone may be called by several
  /// threads at a time.
  void add(const Rollup& rollup);
  void add(const AgentRecord& agent);
  /// Something about the folder that belongs in the report.
  void note(std::string sentence);

  /// Once, at the end.
  [[nodiscard]] FleetReport finish(const std::optional<Roster>& roster);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halfmark::fleet
