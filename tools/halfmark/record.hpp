// SPDX-License-Identifier: Apache-2.0
// From what a run (or its journal) holds to what reports take: a translation of plain data, nothing
// decided.
#pragma once

#include "reports/record.hpp"
#include "suites/runner/run.hpp"

namespace halfmark::tools {

[[nodiscard]] reports::RunRecord record_of(const suites::DeviceRun& run,
                                           const std::vector<std::string>& required_marks);

/// The identity that a journal carries and `--resume` compares.
[[nodiscard]] nlohmann::json identity_of(const suites::Selection& selection,
                                         const std::string& shard);

}  // namespace halfmark::tools
