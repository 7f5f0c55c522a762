// SPDX-License-Identifier: Apache-2.0
// Preflight canaries: a few operands per operation that tell contraction, subnormals, rounding, NaN
// and infinity apart at a glance. Recorded in every scorecard beside what the driver claims; the
// suite asserts the same at full width.
#pragma once

#include <nlohmann/json.hpp>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::arithmetic {

/// One object per canary: name, operation, observed, meaning, standing (ok, deviation, violation,
/// unknown), claim.
[[nodiscard]] nlohmann::json run_canaries(Session& session);

}  // namespace halfmark::suites::arithmetic
