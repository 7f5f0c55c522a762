// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of scorecards, applied. Nothing that a schema cannot say: see validate.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halfmark::reports {

/// One line per place that breaks the schema, with its path; empty: none does.
[[nodiscard]] std::vector<std::string> check_schema(const nlohmann::json& card);

}  // namespace halfmark::reports
