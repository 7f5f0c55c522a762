// SPDX-License-Identifier: Apache-2.0
// The suite `convert`: whole tensors converted from one format to another, by Halfmark's integer
// kernel and by a device's libraries, bit for bit. Conversions that a kernel language offers itself
// belong to the suite `arithmetic`.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::convert {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::convert
