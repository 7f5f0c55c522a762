// SPDX-License-Identifier: Apache-2.0
// The page about a fleet from the JSON report of a merge (schema/fleet.schema.json). Knows nothing
// of how verdicts about a fleet are made.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::reports {

inline constexpr std::string_view kFleetSchemaName = "halfmark-fleet/1";

/// One line per place that breaks the schema; empty if none does.
[[nodiscard]] std::vector<std::string> check_fleet_schema(const nlohmann::json& fleet);

/// The report must fit its schema.
void write_fleet_page(const nlohmann::json& fleet, std::ostream& out);

}  // namespace halfmark::reports
