// SPDX-License-Identifier: Apache-2.0
//
// Runs the operator gemm on a vendor's BLAS through its table. Decides which of the library's
// computations a call maps to, and which of its statuses mean "not offered".
#pragma once

#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] LibraryRow library_row(const BlasVendor& vendor);

}  // namespace halfmark::backends::shim
