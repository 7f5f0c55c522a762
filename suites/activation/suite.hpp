// SPDX-License-Identifier: Apache-2.0
// The suite `activation`: GELU in both forms, ReLU and the greater of two values, forward and
// backward, on every fp16 operand, with specified kernels and with a device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::activation {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::activation
