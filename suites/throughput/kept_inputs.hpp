// SPDX-License-Identifier: Apache-2.0
// The operands of the case that was asked for last. Finding a size, verifying it and timing it take
// the same operands one after the other, and on a GPU making them takes longer than all launches.
#pragma once

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites::throughput {

/// The same as problem.inputs(). Valid until the next call in this thread with another case.
[[nodiscard]] const TensorSet& kept_inputs(const Problem& problem);

}  // namespace halfmark::suites::throughput
