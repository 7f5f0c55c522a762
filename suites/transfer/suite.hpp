// SPDX-License-Identifier: Apache-2.0
// Copies between host and device, before any kernel is judged. Decides which sizes, offsets and
// cuts are asked for.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::transfer {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::transfer
