// SPDX-License-Identifier: Apache-2.0
//
// Runs the operator gemm, with bias and activation, on a vendor's "Lt" BLAS through its table.
// Decides which of the library's computations a call maps to, which of its statuses mean "not
// offered", the workspace limit (kLtWorkspaceLimit), and that split-k partial sums are never added
// in a random order.
#pragma once

#include <cstddef>

#include "backends/shim/blas_lt_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

// The workspace that the vendors recommend for their largest devices. An algorithm gets only what
// it requests.
inline constexpr std::size_t kLtWorkspaceLimit = std::size_t{32} << 20;

[[nodiscard]] LibraryRow library_row(const LtVendor& vendor);

}  // namespace halfmark::backends::shim
