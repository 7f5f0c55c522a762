// SPDX-License-Identifier: Apache-2.0
//
// OpenBLAS, MKL and BLIS as libraries of the processor: which of their routines a gemm maps to.
#pragma once

#include <vector>

#include "backends/cpu/libraries.hpp"

namespace halfmark::backends::cpu {

// In order of preference.
[[nodiscard]] std::vector<LibraryRow> blas_rows();

}  // namespace halfmark::backends::cpu
