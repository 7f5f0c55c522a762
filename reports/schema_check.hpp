// SPDX-License-Identifier: Apache-2.0
// Applies the JSON Schemas of scorecards and of descriptions of models. What a schema cannot
// express is checked in validate.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halfmark::reports {

/// One line per place that breaks the schema, with its path; empty if none does.
[[nodiscard]] std::vector<std::string> check_schema(const nlohmann::json& card);
/// The same for the description of a model (schema/model.schema.json).
[[nodiscard]] std::vector<std::string> check_model_schema(const nlohmann::json& model);

}  // namespace halfmark::reports
