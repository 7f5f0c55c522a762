// SPDX-License-Identifier: Apache-2.0
// The suite `reduction`: sum, mean and greatest element of rows, by specified kernels and by the
// libraries of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::reduction {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::reduction
