// SPDX-License-Identifier: Apache-2.0
// Decides whether a JSON text is a valid scorecard, by the schema, the digest, and totals that a
// schema cannot express. Does not judge the device.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// One readable line per problem; empty if the card is valid. Checks digest and totals only when
/// the schema holds.
[[nodiscard]] std::vector<std::string> validate(const nlohmann::json& card);

/// A file that is not a usable scorecard: one line with its name and the remedy. Means exit code 2.
struct CardError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The JSON of a file that declares itself a scorecard of this schema; a folder stands for its
/// scorecard.json. Throws CardError on unreadable, truncated and foreign files.
[[nodiscard]] nlohmann::json read_card_json(const std::filesystem::path& path);

/// The same, validated. Throws CardError with the first problem and the number of problems.
[[nodiscard]] Scorecard read_scorecard(const std::filesystem::path& path);

}  // namespace halfmark::reports
