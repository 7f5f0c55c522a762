// SPDX-License-Identifier: Apache-2.0
// Decides which rows of throughput of an earlier attempt stay beside those of a resumed one, in its
// journal and in its scorecard alike.
#pragma once

#include <nlohmann/json.hpp>

namespace halfmark::suites {

/// Whether `row` replaces `earlier`: its kernel was timed again, at whatever size, or another
/// kernel under its name.
[[nodiscard]] bool is_timed_again(const nlohmann::json& earlier, const nlohmann::json& row);

}  // namespace halfmark::suites
