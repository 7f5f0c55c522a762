// SPDX-License-Identifier: Apache-2.0
// The suite `activation`: GELU in both forms, ReLU and the greater of two, forward and backward, on
// every fp16 operand; by specified kernels and by the libraries of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::activation {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::activation
