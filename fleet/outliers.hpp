// SPDX-License-Identifier: Apache-2.0
// Devices that are slower than their peers. Rates are compared as logarithms within a group of the
// same device and driver, raw and divided by the clock. Decides who is named: never a verdict about
// right or wrong, and no reason to drain a node after one sweep.
#pragma once

#include "fleet/fleet_report.hpp"
#include "fleet/kept.hpp"

namespace halfmark::fleet {

/// Smaller groups say too little about their own spread.
inline constexpr std::size_t kLeastPeers = 16;
/// A device that is less slow than this against the median is not named, however alike its peers.
inline constexpr double kLeastLoss = 0.02;
/// Peers that agree more closely than a timer does count as this far apart.
inline constexpr double kLeastSpread = 0.001;

/// Fills `outliers`, `rate_comparisons` and `groups` of the report.
void find_outliers(const Kept& kept, FleetReport& report);

}  // namespace halfmark::fleet
