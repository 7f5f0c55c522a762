// SPDX-License-Identifier: Apache-2.0
// The suite `cross_entropy`: the loss of classification over rows of logits with a class index
// each, and its gradient, by specified kernels and by the libraries of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::cross_entropy {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::cross_entropy
