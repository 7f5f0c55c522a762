// SPDX-License-Identifier: Apache-2.0
// Where the elements of a batch of matrices lie in memory: one tensor seen through a start and
// three distances. Layout is told by these alone: a transposed matrix is one whose rows are a
// distance of 1 apart, a shared one has a batch distance of 0.
#pragma once

#include <cstddef>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites::gemm {

struct View {
  std::size_t start = 0;                       // of the first element; all in elements
  std::size_t row = 0, column = 1, batch = 0;  // distances
  std::size_t count = 0;                       // of the whole tensor, memory around included
  std::size_t apart = 0;  // distance of rows on the device, where it is not that of the tensor

  [[nodiscard]] std::size_t row_on_device() const { return apart > 0 ? apart : row; }
  [[nodiscard]] std::size_t at(std::size_t item, std::size_t i, std::size_t j) const {
    return start + item * batch + i * row + j * column;
  }
};

/// Work cut into stretches of 1, 2, 3, ... elements: the length of the one that holds an element,
/// and whether the element is its last.
struct Stretch {
  std::size_t length = 1;
  bool last = false;
};
[[nodiscard]] Stretch stretch_of(std::size_t element);

/// The elements behind a view, dense: `batch` matrices of rows x columns.
[[nodiscard]] formats::Tensor gather(const View& view, const formats::Tensor& stored,
                                     std::size_t batch, std::size_t rows, std::size_t columns);

}  // namespace halfmark::suites::gemm
