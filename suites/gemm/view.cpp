// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/view.hpp"

#include <algorithm>

#include "reference/fast/parallel.hpp"

namespace halfmark::suites::gemm {

Stretch stretch_of(std::size_t element) {
  std::size_t length = 1;
  std::size_t end = 1;
  while (end <= element) end += ++length;
  return {.length = length, .last = element + 1 == end};
}

namespace {

constexpr std::size_t kElementsOfPart = std::size_t{1} << 16;

}  // namespace

formats::Tensor gather(const View& view, const formats::Tensor& stored, std::size_t batch,
                       std::size_t rows, std::size_t columns) {
  formats::Tensor dense = formats::Tensor::zeros(*stored.format, batch * rows * columns);
  const auto copy_row = [&](std::size_t row) {
    std::size_t next = row * columns;
    for (std::size_t j = 0; j < columns; ++j)
      dense.set(next++, stored.at(view.at(row / rows, row % rows, j)));
  };
  if (dense.count() < kElementsOfPart) {
    for (std::size_t row = 0; row < batch * rows; ++row) copy_row(row);
    return dense;
  }
  const std::size_t rows_of_part = kElementsOfPart / columns + 1;
  fast::for_each_part(batch * rows / rows_of_part + 1, 0, fast::Direction::kNearEven,
                      [&](std::size_t part) {
                        const std::size_t end = std::min((part + 1) * rows_of_part, batch * rows);
                        for (std::size_t row = part * rows_of_part; row < end; ++row) copy_row(row);
                      });
  return dense;
}

}  // namespace halfmark::suites::gemm
