// SPDX-License-Identifier: Apache-2.0
// Provenance of a run: the machine and software around the device. Gathered by the runner, never
// typed; everything here is outside what must be identical from run to run.
#pragma once

#include <nlohmann/json.hpp>

namespace halfmark::tools {

[[nodiscard]] nlohmann::json gather_environment();

/// "2026-11-21T06:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace halfmark::tools
