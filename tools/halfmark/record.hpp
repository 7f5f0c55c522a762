// SPDX-License-Identifier: Apache-2.0
// Converts the data of a run (or its journal) to the types that reports take; decides nothing.
#pragma once

#include "reports/record.hpp"
#include "suites/runner/run.hpp"

namespace halfmark::tools {

[[nodiscard]] reports::RunRecord record_of(const suites::DeviceRun& run,
                                           const std::vector<std::string>& required_marks);

/// The identity that a journal holds and `--resume` compares. `golden`: SHA-256 of the golden
/// store; empty: there is none.
[[nodiscard]] nlohmann::json identity_of(const suites::Selection& selection,
                                         const std::string& shard, const std::string& golden = {});

}  // namespace halfmark::tools
