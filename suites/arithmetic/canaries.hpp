// SPDX-License-Identifier: Apache-2.0
// Preflight canaries: a few operands per operation that show at a glance how a device handles
// contraction, subnormals, rounding, NaN and infinity. Every scorecard records them next to the
// driver's claims; the suite asserts the same properties over the full range.
#pragma once

#include <nlohmann/json.hpp>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::arithmetic {

/// One object per canary: name, operation, observed, meaning, standing (ok, deviation, violation,
/// unknown), claim.
[[nodiscard]] nlohmann::json run_canaries(Session& session);

/// The canary of that name, of a device that gave this result. Throws std::logic_error for an
/// unknown name.
[[nodiscard]] nlohmann::json judged_canary(std::string_view name, const DeviceResult& result,
                                           const backends::DeviceInfo& device);

}  // namespace halfmark::suites::arithmetic
