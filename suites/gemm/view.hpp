// SPDX-License-Identifier: Apache-2.0
// Where the elements of a batch of matrices lie in memory: one tensor seen through a start offset
// and three strides. These alone describe the layout: a transposed matrix has a row stride of 1, a
// shared one a batch stride of 0.
#pragma once

#include <cstddef>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites::gemm {

struct View {
  std::size_t start = 0;                       // of the first element; all values are in elements
  std::size_t row = 0, column = 1, batch = 0;  // strides
  std::size_t count = 0;  // of the whole tensor, including memory around the matrices
  std::size_t apart = 0;  // row stride on the device, where it differs from the tensor's

  [[nodiscard]] std::size_t row_on_device() const { return apart > 0 ? apart : row; }
  [[nodiscard]] std::size_t at(std::size_t item, std::size_t i, std::size_t j) const {
    return start + item * batch + i * row + j * column;
  }
};

/// For work cut into stretches of 1, 2, 3, ... elements: the length of the stretch that holds an
/// element, and whether the element is its last.
struct Stretch {
  std::size_t length = 1;
  bool last = false;
};
[[nodiscard]] Stretch stretch_of(std::size_t element);

/// The elements seen through a view, dense: `batch` matrices of rows x columns.
[[nodiscard]] formats::Tensor gather(const View& view, const formats::Tensor& stored,
                                     std::size_t batch, std::size_t rows, std::size_t columns);

}  // namespace halfmark::suites::gemm
