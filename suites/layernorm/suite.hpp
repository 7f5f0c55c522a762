// SPDX-License-Identifier: Apache-2.0
// The suite `layernorm`: layer normalisation over rows and its gradients, by the kernels that
// reference/operators/layernorm.hpp specifies.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::layernorm {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::layernorm
