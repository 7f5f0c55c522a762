// SPDX-License-Identifier: Apache-2.0
// The suite `loss`: mean squared error, its gradient and the product of a loss with its scale, by
// specified kernels and by the libraries of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::loss
