// SPDX-License-Identifier: Apache-2.0
// The elements of A and B, fill by fill: each is a function of its place in op(A)[i,x] or
// op(B)[x,j], so that a fill means the same in every layout. README.md says what each fill is for.
// Where a tensor holds its elements, and what lies between them, is decided in inputs.cpp.
#pragma once

#include <string_view>

#include "suites/core/case/fills.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

// One element: (row, column) of op(A) or op(B), and its number in a dense matrix, which keys the
// random words.
struct Place {
  std::size_t row, column, index;
};

struct Context {
  const Binding& bound;
  const Random& random;
  const formats::Tensor& base;  // dense, of a fill that the core knows; empty unless one is named

  [[nodiscard]] const formats::Format& format() const { return *bound.operands; }
  [[nodiscard]] std::size_t k() const { return bound.problem.k; }
};

using Element = formats::Bits (*)(const Context&, const Place&);

struct Side {
  Element element;
  std::string_view base = {};
};

struct FillRow {
  std::string_view name;
  Side a, b;
};

/// The fill must exist.
[[nodiscard]] const FillRow& find_fill(std::string_view name);

}  // namespace halfmark::suites::gemm
