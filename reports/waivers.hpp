// SPDX-License-Identifier: Apache-2.0
// Waivers: failures that somebody has accepted for a reason and until a date. Decides when one
// applies. A waiver never changes a scorecard: it only keeps a gate from failing.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace halfmark::reports {

struct Waiver {
  std::string case_glob;  // for case names; "mark.H1" for a lost mark, "canary.NAME" for a canary
  std::string rule;       // glob for a rule id; empty: any rule
  std::string owner, reason;
  std::string expires;  // YYYY-MM-DD, the last day on which it counts
};

/// A waivers file that cannot be used: one line that names the file, the entry and the remedy.
/// Means exit code 2.
struct WaiverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads `{"waivers": [{"case", "rule"?, "owner", "reason", "expires"}]}`. Throws WaiverError,
/// whose text names `file`.
[[nodiscard]] std::vector<Waiver> waivers_from_json(const nlohmann::json& json,
                                                    const std::string& file);
[[nodiscard]] std::vector<Waiver> read_waivers(const std::filesystem::path& path);

/// `today` as YYYY-MM-DD.
[[nodiscard]] bool is_expired(const Waiver& waiver, const std::string& today);

/// In both globs `*` matches any sequence of characters and `?` matches one.
[[nodiscard]] bool covers(const Waiver& waiver, const std::string& subject,
                          const std::string& rule);

}  // namespace halfmark::reports
