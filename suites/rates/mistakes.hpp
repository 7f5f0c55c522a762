// SPDX-License-Identifier: Apache-2.0
// Known mistakes of compilers and devices with a chain, each as an evaluation of its own.
#pragma once

#include <vector>

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::rates {

[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);

}  // namespace halfmark::suites::rates
