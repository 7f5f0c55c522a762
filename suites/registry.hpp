// SPDX-License-Identifier: Apache-2.0
// Every suite there is: an explicit, sorted list that the build generates from the folders that
// hold a suite.hpp. Decides how cases are found by name and selected; knows no operator.
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

/// A case by its whole name. Throws UsageError that names the offending word.
[[nodiscard]] Case parse_case(std::string_view name);

/// What a run holds. Empty lists mean no restriction.
struct Selection {
  Level level = Level::kStandard;
  std::uint64_t seed = 1;
  std::vector<std::string> suites;
  std::vector<std::string> filters;  // globs over whole case names; any may match
  std::uint32_t shard_index = 1;     // of shard_count, from 1
  std::uint32_t shard_count = 1;
};

/// The cases of a selection, in the order in which they run: foremost suites first. Throws
/// UsageError when nothing is selected: a run of no cases must not look like success.
[[nodiscard]] std::vector<Case> select_cases(const Selection& selection);

/// Those of them that a run on the device holds (Suite::concerns); all of them where it would hold
/// none, since whoever asks for these alone is owed their verdicts.
[[nodiscard]] std::vector<Case> cases_for(const backends::DeviceInfo& device,
                                          std::span<const Case> selected);

[[nodiscard]] std::optional<Level> parse_level(std::string_view name);

}  // namespace halfmark::suites
