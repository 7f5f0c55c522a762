// SPDX-License-Identifier: Apache-2.0
// The suite `statistics`: what a tensor's numbers look like, counted on the device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::statistics {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::statistics
