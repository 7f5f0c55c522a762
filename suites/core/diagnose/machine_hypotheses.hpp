// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the elementary operations of a device. Decides which exist, which freedoms they
// take, and which of them claim less than others; evaluates none.
#pragma once

#include <vector>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// One or all operations flush subnormals, or round in another way. Those of one come first. They
/// refer to the problem.
[[nodiscard]] std::vector<Hypothesis> machine_hypotheses(const Problem& problem);

}  // namespace halfmark::suites
