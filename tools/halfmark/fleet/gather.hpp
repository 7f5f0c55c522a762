// SPDX-License-Identifier: Apache-2.0
// Finds what agents and runs left below folders, and adds it to a merge. Decides which file speaks
// for a device where there are several: its roll-up, else its scorecard, else its journal. Files
// that an earlier merge collected count as what is in them. What cannot be read becomes a note, and
// never stops the rest.
#pragma once

#include <filesystem>
#include <vector>

#include "fleet/collected.hpp"
#include "fleet/merge.hpp"

namespace halfmark::tools {

struct Gathered {
  std::uint64_t rollups = 0, cards = 0, journals = 0, agents = 0, unusable = 0;
  [[nodiscard]] std::uint64_t answers() const { return rollups + cards + journals; }
};

/// Throws UsageError if a folder is not there, EnvironmentError if it cannot be listed.
/// `collector`: gets whatever the merge gets; null: nobody does.
[[nodiscard]] Gathered gather(const std::vector<std::filesystem::path>& folders,
                              fleet::Merge& merge, fleet::Collector* collector = nullptr);

/// Of the folder of one device, from its scorecard or else its journal; throws RollupError.
[[nodiscard]] fleet::Rollup rollup_of_folder(const std::filesystem::path& folder,
                                             const fleet::Origin& origin);

inline constexpr const char* kRollupFile = "rollup.json";
inline constexpr const char* kAgentFile = "agent.json";

}  // namespace halfmark::tools
