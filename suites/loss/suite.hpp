// SPDX-License-Identifier: Apache-2.0
// The suite `loss`: mean squared error, its gradient and the product of a loss with its scale, with
// specified kernels and with a device's libraries.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::loss
