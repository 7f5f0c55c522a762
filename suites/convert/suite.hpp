// SPDX-License-Identifier: Apache-2.0
// The suite `convert`: whole tensors from one format to another, by Halfmark's integer kernel and
// by the libraries of a device, bit for bit. Conversions that a kernel language has words for are
// those of the suite `arithmetic`.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::convert {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::convert
