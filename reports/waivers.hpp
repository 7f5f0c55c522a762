// SPDX-License-Identifier: Apache-2.0
// Waivers: failures that somebody has taken on, for a reason and until a day. Decides when one
// applies. A waiver never changes a scorecard: it only keeps a gate from failing.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace halfmark::reports {

struct Waiver {
  std::string case_glob;  // of a case name; "mark.H1" for a lost mark, "canary.NAME" for a canary
  std::string rule;       // glob of a rule id; empty: any
  std::string owner, reason;
  std::string expires;  // YYYY-MM-DD, the last day on which it counts
};

/// A waivers file that cannot be used: one line naming the file, the entry and the remedy. Means
/// exit code 2.
struct WaiverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `{"waivers": [{"case", "rule"?, "owner", "reason", "expires"}]}`. Throws WaiverError; `file` is
/// for its text.
[[nodiscard]] std::vector<Waiver> waivers_from_json(const nlohmann::json& json,
                                                    const std::string& file);
[[nodiscard]] std::vector<Waiver> read_waivers(const std::filesystem::path& path);

/// `today` as YYYY-MM-DD.
[[nodiscard]] bool is_expired(const Waiver& waiver, const std::string& today);

/// `*` stands for any run of characters, `?` for one.
[[nodiscard]] bool covers(const Waiver& waiver, const std::string& subject,
                          const std::string& rule);

}  // namespace halfmark::reports
