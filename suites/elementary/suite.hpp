// SPDX-License-Identifier: Apache-2.0
// The elementary functions of a vendor's language (exp, log, tanh, ...), tested against the
// accuracy that the vendor's specification states for them.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::elementary {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::elementary
