// SPDX-License-Identifier: Apache-2.0
// The registry of all suites: an explicit, sorted list that the build generates from the folders
// with a suite.hpp. Decides how cases are found by name and selected; knows no operator.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

[[nodiscard]] std::span<const Suite* const> all_suites();

/// Throws UsageError that lists the suites.
[[nodiscard]] const Suite& find_suite(std::string_view name);

/// A case by its full name. Throws UsageError that names the offending word.
[[nodiscard]] Case parse_case(std::string_view name);

/// The selection of a run. Empty lists mean no restriction.
struct Selection {
  Level level = Level::kStandard;
  std::uint64_t seed = 1;
  std::vector<std::string> suites;
  std::vector<std::string> filters;  // globs over whole case names; any may match
  std::uint32_t shard_index = 1;     // 1 to shard_count
  std::uint32_t shard_count = 1;
};

/// The cases of a selection, in the order of execution: foremost suites first. Throws UsageError if
/// no case is selected: an empty run must not look like success.
[[nodiscard]] std::vector<Case> select_cases(const Selection& selection);

/// The selected cases that a run on the device includes (Suite::concerns). If it would include
/// none, all of them, because the user asked for exactly these.
[[nodiscard]] std::vector<Case> cases_for(const backends::DeviceInfo& device,
                                          std::span<const Case> selected);

[[nodiscard]] std::optional<Level> parse_level(std::string_view name);

}  // namespace halfmark::suites
