// SPDX-License-Identifier: Apache-2.0
// The suite `loss_scaled_backward`: one step of mixed-precision training with loss scaling, by
// kernels that reference/operators/loss_scaled_backward.hpp specifies.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::loss_scaled_backward
