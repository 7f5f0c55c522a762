// SPDX-License-Identifier: Apache-2.0
//
// A vendor's "Lt" BLAS in use: the operator gemm, with bias and activation, in the words of its
// table. Decides which of the library's computations a call is, which of its answers mean "not
// offered", how large a workspace it may have (kLtWorkspaceLimit), and that parts of a divided sum
// are never added in a random order.
#pragma once

#include <cstddef>

#include "backends/shim/blas_lt_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

// What the makers advise for their largest devices. An algorithm gets what it asks for, no more.
inline constexpr std::size_t kLtWorkspaceLimit = std::size_t{32} << 20;

[[nodiscard]] LibraryRow library_row(const LtVendor& vendor);

}  // namespace halfmark::backends::shim
