// SPDX-License-Identifier: Apache-2.0
// The report on a fleet as text for people, as JSON (reports/schema/fleet.schema.json), and as
// metrics. Writers see the report and nothing else.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "fleet/fleet_report.hpp"

namespace halfmark::fleet {

void write_console(const FleetReport& report, std::ostream& out);

[[nodiscard]] nlohmann::json to_json(const FleetReport& report);

/// For the textfile collector of Prometheus: no times of samples, and a series for each verdict and
/// for at most kMostSeries devices that are not conformant.
inline constexpr std::size_t kMostSeries = 1000;
void write_metrics(const FleetReport& report, std::uint64_t merged_at_s, std::ostream& out);

}  // namespace halfmark::fleet
