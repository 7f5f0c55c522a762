// SPDX-License-Identifier: Apache-2.0
//
// Operands of a row operator in the form that libraries with four axes take: rows along one or two
// axes, and the elements of a row. Decides which axes merge in memory; calls no library.
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
  // outer, inner, width; inner is 1 when every operand has one common stride between rows.
  std::array<std::int64_t, 3> sizes{1, 1, 1};
  std::vector<std::array<std::int64_t, 3>> strides;  // one per operand, in elements

  // Whether the rows have contiguous elements and one common stride.
  [[nodiscard]] bool is_plain() const;
};

// Throws BackendError for operands of different sizes; NotOffered for sizes and strides of 0, and
// for rows that need more than two axes.
[[nodiscard]] FoldedRows folded_rows(std::span<const DriverTensorView* const> views);

}  // namespace halfmark::backends::shim
