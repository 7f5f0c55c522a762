// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs in the interfaces of this family, one template for each kind: a kernel,
// or one of the matrix unit's instructions (reproducer.c); a product by the vendor's BLAS
// (reproducer_gemm.c) or by its "Lt" BLAS (reproducer_lt.c); an operator of its library for
// neural networks (reproducer_dnn.c). A vendor's reproducer.cpp supplies the words: symbols
// and enumerators from its tables, and what only its headers define (types, header names,
// build command).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/reproducers.hpp"
#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

using Word = std::pair<const char*, const char*>;  // a placeholder and its replacement

// Words from the vendor's tables, one table for each library that a program calls.
struct WordTables {
  std::span<const Word> driver, blas, lt, dnn;
};

/// When several words fill one placeholder, the last counts.
[[nodiscard]] std::vector<ReproducerFrame> reproducers(const Vendor& vendor,
                                                       const WordTables& tables,
                                                       std::span<const Word> own);

}  // namespace halfmark::backends::shim
