// SPDX-License-Identifier: Apache-2.0
// What functions have been seen to do instead of what is promised, but for formulas (formulas.hpp).
#pragma once

#include <vector>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites::elementary {

[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);

/// A device that gave these results, each of them right or what flushing may give.
[[nodiscard]] Hypothesis flushes_as_left_open(const TensorSet& outputs);

}  // namespace halfmark::suites::elementary
