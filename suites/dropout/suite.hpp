// SPDX-License-Identifier: Apache-2.0
// The suite `dropout`: forward and backward with one mask of a counter-based generator, as
// kernels/dropout.hk specifies it.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::dropout {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::dropout
