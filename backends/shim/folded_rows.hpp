// SPDX-License-Identifier: Apache-2.0
//
// Operands of a row operator as libraries with four axes take them: rows along one or two axes, and
// the elements of a row. Decides which axes are one in memory; calls no library.
//
// Assumption: views lie inside their buffers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/driver.hpp"

namespace halfmark::backends::shim {

struct FoldedRows {
  // outer, inner, width; inner is 1 where the rows of every operand are a fixed step apart.
  std::array<std::int64_t, 3> sizes{1, 1, 1};
  std::vector<std::array<std::int64_t, 3>> strides;  // one per operand, in elements

  // Whether the elements of every row lie side by side, and the rows a fixed step apart.
  [[nodiscard]] bool is_plain() const;
};

// Throws BackendError for operands of different sizes; NotOffered for sizes and strides of 0, and
// for rows that run through more than two axes.
[[nodiscard]] FoldedRows folded_rows(std::span<const DriverTensorView* const> views);

}  // namespace halfmark::backends::shim
