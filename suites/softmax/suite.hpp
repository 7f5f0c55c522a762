// SPDX-License-Identifier: Apache-2.0
// The suite `softmax`: softmax, log-softmax and the gradient of softmax over rows, by the kernels
// that reference/operators/softmax.hpp specifies.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::softmax {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::softmax
