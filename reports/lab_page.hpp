// SPDX-License-Identifier: Apache-2.0
// The page about an experiment from the JSON report of `halfmark lab` (schema/lab.schema.json).
// Knows nothing of how an experiment is run.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::reports {

inline constexpr std::string_view kLabSchemaName = "halfmark-lab/1";

/// One line per place that breaks the schema; empty if none does.
[[nodiscard]] std::vector<std::string> check_lab_schema(const nlohmann::json& report);

/// The report must fit its schema.
void write_lab_page(const nlohmann::json& report, std::ostream& out);

}  // namespace halfmark::reports
