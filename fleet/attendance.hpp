// SPDX-License-Identifier: Apache-2.0
// Who ought to have answered and did not, and what is odd about the folder: decided from the
// roster, the agents' records and the roll-ups. Absence is a verdict; the rest are notes.
#pragma once

#include <optional>

#include "fleet/fleet_report.hpp"
#include "fleet/kept.hpp"
#include "fleet/roster.hpp"

namespace halfmark::fleet {

/// Adds rows of absent devices, `runs`, `nodes_answered`, `nodes_expected` and notes.
void take_attendance(Kept& kept, const std::optional<Roster>& roster, FleetReport& report);

}  // namespace halfmark::fleet
