// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/view.hpp"

namespace halfmark::suites::gemm {

Stretch stretch_of(std::size_t element) {
  std::size_t length = 1;
  std::size_t end = 1;
  while (end <= element) end += ++length;
  return {.length = length, .last = element + 1 == end};
}

formats::Tensor gather(const View& view, const formats::Tensor& stored, std::size_t batch,
                       std::size_t rows, std::size_t columns) {
  formats::Tensor dense = formats::Tensor::zeros(*stored.format, batch * rows * columns);
  std::size_t next = 0;
  for (std::size_t item = 0; item < batch; ++item) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) dense.set(next++, stored.at(view.at(item, i, j)));
    }
  }
  return dense;
}

}  // namespace halfmark::suites::gemm
