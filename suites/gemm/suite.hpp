// SPDX-License-Identifier: Apache-2.0
// The suite `gemm`: matrix multiplication, by the kernel that reference/operators/gemm.hpp
// specifies and by the libraries of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::gemm {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::gemm
