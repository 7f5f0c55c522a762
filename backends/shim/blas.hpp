// SPDX-License-Identifier: Apache-2.0
//
// A vendor's BLAS in use: the operator gemm in the words of its table. Decides which of the
// library's computations a call is, and which of its answers mean "not offered".
#pragma once

#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] LibraryRow library_row(const BlasVendor& vendor);

}  // namespace halfmark::backends::shim
