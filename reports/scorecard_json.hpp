// SPDX-License-Identifier: Apache-2.0
// Scorecard <-> JSON, the only door between measuring and publishing. Decides names and order of
// members; what they mean is in scorecard.hpp, which values are lawful in
// schema/scorecard.schema.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] nlohmann::json to_json(const Scorecard& card);

/// For cards that have passed `validate`; throws std::runtime_error or a JSON exception on others.
[[nodiscard]] Scorecard scorecard_from_json(const nlohmann::json& json);

/// The file: members in reading order, on one line what fits there. Equal cards give equal bytes.
[[nodiscard]] std::string print_json(const Scorecard& card);
[[nodiscard]] std::string print_json(const nlohmann::json& card);

}  // namespace halfmark::reports
