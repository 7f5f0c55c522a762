// SPDX-License-Identifier: Apache-2.0
//
// A vendor's BLAS as a table: library names, symbols, numbers, scalar types. Everything that
// differs between the BLAS libraries of this interface family is a field here.
//
// A vendor's blas_names.hpp (the macros HM_BLAS_...) lists symbols as rows X(role, symbol) and
// numbers as rows X(word, enumerator, value); a computation is X(word, enumerator, value, mode,
// mode's value, scalars). The same rows make the tables (blas_tables.hpp), the exports of the
// stand-in (standin/blas.cpp) and the comparison with the vendor's headers.
#pragma once

#include <span>
#include <string_view>

#include "backends/shim/blas_calls.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct BlasNumber {
  std::string_view word;  // a format, or a status's name
  int number;
};

struct BlasCompute {
  std::string_view word;     // "fp32", "tf32", ... as in operator calls
  int number;                // value of the computation's parameter
  int math_mode;             // the handle's math mode; 0 needs no call
  std::string_view scalars;  // the format of alpha and beta
};

struct BlasVendor {
  const char* name;
  Library library;
  int none, transpose;  // operation values
  std::span<const BlasNumber> types;
  // Ways to pass the computation, newest first. A trial finds the one that a library takes.
  std::span<const std::span<const BlasCompute>> computes;
  int algorithm;
  std::span<const BlasNumber> declines;  // statuses that mean "not offered"
  Status invalid;                        // status for an invalid argument; the stand-in returns it
  const char* internal_precision = "";   // see LibraryRow
};

}  // namespace halfmark::backends::shim
