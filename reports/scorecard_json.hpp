// SPDX-License-Identifier: Apache-2.0
// Converts scorecards to JSON and back: the only interface between measuring and publishing.
// Decides the names and order of members. scorecard.hpp defines their meaning, and
// schema/scorecard.schema.json which values are valid.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] nlohmann::json to_json(const Scorecard& card);

/// A member of "canaries", which a run's journal holds in the same form.
[[nodiscard]] Canary canary_from(const nlohmann::json& json);

/// For cards that have passed `validate`; throws std::runtime_error or a JSON exception on others.
[[nodiscard]] Scorecard scorecard_from_json(const nlohmann::json& json);

/// Prints the file: members in reading order, each on one line where it fits. Equal cards give
/// equal bytes.
[[nodiscard]] std::string print_json(const Scorecard& card);
[[nodiscard]] std::string print_json(const nlohmann::json& card);

}  // namespace halfmark::reports
