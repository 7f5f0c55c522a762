// SPDX-License-Identifier: Apache-2.0
// The suite `layernorm`: layer normalisation and root mean square normalisation over rows, and
// their gradients, by the kernels that reference/operators/layernorm.hpp specifies and by a
// device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::layernorm {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::layernorm
