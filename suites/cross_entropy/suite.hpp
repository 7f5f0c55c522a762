// SPDX-License-Identifier: Apache-2.0
// The suite `cross_entropy`: the classification loss over rows of logits with one class index per
// row, and its gradient, with specified kernels and with a device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::cross_entropy {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::cross_entropy
