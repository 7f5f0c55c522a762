// SPDX-License-Identifier: Apache-2.0
// The suite `reduction`: sum, mean and maximum of rows, with specified kernels and with a
// device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::reduction {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::reduction
