// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/operator_library.hpp"

#include "backends/shim/blas.hpp"
#include "backends/shim/blas_lt.hpp"
#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

std::vector<LibraryRow> library_rows(const Vendor& vendor) {
  std::vector<LibraryRow> rows;
  if (vendor.blas != nullptr) rows.push_back(library_row(*vendor.blas));
  if (vendor.blas_lt != nullptr) rows.push_back(library_row(*vendor.blas_lt));
  if (vendor.dnn != nullptr) rows.push_back(library_row(*vendor.dnn));
  return rows;
}

}  // namespace halfmark::backends::shim
