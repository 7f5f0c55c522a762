// SPDX-License-Identifier: Apache-2.0
// The suite `optimizer`: gradient descent, Adam and AdamW on fp32 master weights, step by step.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::optimizer {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::optimizer
