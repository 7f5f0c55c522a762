// SPDX-License-Identifier: Apache-2.0
//
// A vendor's "Lt" BLAS as a table: library names, symbols, numbers, scalar types. Everything that
// differs between the Lt libraries of this interface family is a field here.
//
// A vendor's blas_lt_names.hpp (the macros HM_LT_...) lists symbols as rows X(role, symbol) and
// numbers as rows X(word, enumerator, value); a computation is X(word, enumerator, value,
// reductions, scalars). The same rows make the tables (blas_lt_tables.hpp), the exports of the
// stand-in (standin/blas_lt.cpp) and the comparison with the vendor's headers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backends/shim/blas_lt_calls.hpp"
#include "backends/shim/blas_vendor.hpp"

namespace halfmark::backends::shim {

struct LtCompute {
  std::string_view word;     // "fp32", "tf32", ... as in operator calls
  int number;                // value in the product's descriptor
  std::uint32_t reductions;  // permitted ways to add split-k partial sums
  std::string_view scalars;  // the format of alpha and beta
};

// Numbers of attributes and of their values. -1: the vendor lacks the attribute.
struct LtNumbers {
  int none = -1, transpose = -1;  // operation values
  int layout_batch = -1, layout_stride = -1;
  int product_first = -1, product_second = -1;  // their operation attributes
  int product_epilogue = -1, product_bias = -1, product_bias_type = -1;
  int product_first_scale = -1, product_second_scale = -1, product_d_scale = -1;
  int preference_workspace = -1, preference_reductions = -1;
  int preference_first_alignment = -1, preference_second_alignment = -1;
  int preference_c_alignment = -1, preference_d_alignment = -1;
};

// The epilogue of alpha * first * second + beta * c, selected by its activation and bias.
struct LtEpilogue {
  std::string_view activation;  // empty: none
  bool has_bias;
  std::uint32_t number;
};

struct LtVendor {
  const char* name;
  Library library;
  LtNumbers numbers;
  std::span<const BlasNumber> types;
  std::span<const LtCompute> computes;
  std::span<const LtEpilogue> epilogues;
  std::size_t algorithm_bytes;  // size of the algorithm at the start of a heuristic result
  // The format of an absent c when d has 8 bits; empty: d's own.
  std::string_view c_of_narrow_d;
  std::span<const BlasNumber> declines;  // statuses that mean "not offered"
  Status invalid;                        // status for an invalid argument; the stand-in returns it
  const char* internal_precision = "";   // see LibraryRow
};

}  // namespace halfmark::backends::shim
