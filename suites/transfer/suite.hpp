// SPDX-License-Identifier: Apache-2.0
// Copies between host and device, tested before any kernel is judged. Decides which sizes, offsets
// and pieces are tested.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::transfer {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::transfer
