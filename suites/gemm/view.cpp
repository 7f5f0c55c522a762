// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/view.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

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

// Words of formats that fill them are copied as they are.
template <typename Word>
void copy_words(const formats::Tensor& from, std::size_t start, std::size_t stride,
                formats::Tensor& to, std::size_t next, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    to.set_word(next + i, from.word_at<Word>(start + i * stride));
}

void copy_elements(const formats::Tensor& from, std::size_t start, std::size_t stride,
                   formats::Tensor& to, std::size_t next, std::size_t count) {
  const auto width = static_cast<std::size_t>(from.format->storage_bytes());
  const bool fills_words = static_cast<std::size_t>(from.format->bits) == 8 * width;
  if (fills_words && stride == 1) {
    const auto row = std::span(from.bytes).subspan(start * width, count * width);
    std::ranges::copy(row, to.bytes.begin() + static_cast<std::ptrdiff_t>(next * width));
  } else if (fills_words && width == 2) {
    copy_words<std::uint16_t>(from, start, stride, to, next, count);
  } else if (fills_words && width == 4) {
    copy_words<std::uint32_t>(from, start, stride, to, next, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) to.set(next + i, from.at(start + i * stride));
  }
}

}  // namespace

formats::Tensor gather(const View& view, const formats::Tensor& stored, std::size_t batch,
                       std::size_t rows, std::size_t columns) {
  formats::Tensor dense = formats::Tensor::zeros(*stored.format, batch * rows * columns);
  const auto copy_row = [&](std::size_t row) {
    copy_elements(stored, view.at(row / rows, row % rows, 0), view.column, dense, row * columns,
                  columns);
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
