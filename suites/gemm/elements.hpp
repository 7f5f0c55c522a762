// SPDX-License-Identifier: Apache-2.0
// The elements of A and B, fill by fill: each is a function of its position in op(A)[i,x] or
// op(B)[x,j], so a fill means the same in every layout. README.md explains the purpose of each
// fill. inputs.cpp decides where a tensor stores its elements and what lies between them.
#pragma once

#include <string_view>

#include "suites/core/case/fills.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

// One element: its row and column in op(A) or op(B), and its index in a dense matrix, which keys
// the random words.
struct Place {
  std::size_t row, column, index;
};

struct Context {
  const Binding& bound;
  const formats::Format& of;  // the operand
  const Random& random;
  const formats::Tensor& base;  // dense, of a core fill; empty unless one is named

  [[nodiscard]] const formats::Format& format() const { return of; }
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
