// SPDX-License-Identifier: Apache-2.0
// Makes the roll-up of a scorecard. Decides which cases and rates it keeps.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "fleet/rollup.hpp"

namespace halfmark::fleet {

/// Of the JSON of a scorecard. Throws RollupError if it lacks what a scorecard of this schema has.
/// Does not check the card's digest; `halfmark validate` does.
[[nodiscard]] Rollup rollup_of(const nlohmann::json& card, const Origin& origin);

/// Of a device that gave no answer.
[[nodiscard]] Rollup rollup_of_error(const Origin& origin, const DeviceIdentity& device,
                                     const std::string& reason);

}  // namespace halfmark::fleet
