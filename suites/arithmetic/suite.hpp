// SPDX-License-Identifier: Apache-2.0
// The arithmetic suite: elementary operations and conversions, one at a time, bit for bit.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::arithmetic {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::arithmetic
