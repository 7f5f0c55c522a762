// SPDX-License-Identifier: Apache-2.0
// Provenance of a run: the machine and software around the device. The runner gathers it, users
// never type it; nothing here needs to be identical between runs.
#pragma once

#include <nlohmann/json.hpp>

namespace halfmark::tools {

[[nodiscard]] nlohmann::json gather_environment();

/// "2026-11-21T06:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace halfmark::tools
