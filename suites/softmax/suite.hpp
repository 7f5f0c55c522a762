// SPDX-License-Identifier: Apache-2.0
// The suite `softmax`: softmax, log-softmax and their gradients over rows, by the kernels that
// reference/operators/softmax.hpp specifies and by a device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::softmax {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::softmax
