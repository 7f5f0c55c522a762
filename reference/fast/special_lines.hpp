// SPDX-License-Identifier: Apache-2.0
// Rows of A and columns of B that vector code leaves to the scalar models: those with an infinity
// or a NaN, found while operands are loaded. Also gives access to each line as the models read it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

[[nodiscard]] inline bool is_finite(float value) {
  return std::bit_cast<std::uint32_t>(value) << 1 < 0xff000000U;
}

// A line is a row of op(A) or a column of op(B), numbered across the batch.
class SpecialLines {
 public:
  [[nodiscard]] static SpecialLines of_a(const operators::GemmProblem& p) {
    return {p.batch, p.m, p.a_rows(), p.a_stride(), !p.transpose_a};
  }
  [[nodiscard]] static SpecialLines of_b(const operators::GemmProblem& p) {
    return {p.batch, p.n, p.b_rows(), p.b_stride(), p.transpose_b};
  }

  // To be called after widening stored elements first .. first + count to `values`: marks the lines
  // of non-finite elements and replaces these by zeros. Thread-safe.
  void take(std::size_t first, std::size_t count, float* values) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_finite(values[i])) [[likely]]
        continue;
      values[i] = 0;
      marks_[line_of(first + i)].store(true, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] bool operator[](std::size_t line) const {
    return marks_[line].load(std::memory_order_relaxed);
  }

 private:
  SpecialLines(std::size_t items, std::size_t lines_of_item, std::size_t rows, std::size_t stride,
               bool lines_are_rows)
      : marks_(items * lines_of_item),
        lines_of_item_(lines_of_item),
        rows_(rows),
        stride_(stride),
        lines_are_rows_(lines_are_rows) {}

  [[nodiscard]] std::size_t line_of(std::size_t index) const {
    const std::size_t row = index / stride_;
    if (lines_are_rows_) return row;
    return row / rows_ * lines_of_item_ + index % stride_;
  }

  std::vector<std::atomic<bool>> marks_;
  std::size_t lines_of_item_;
  std::size_t rows_;  // of a stored matrix
  std::size_t stride_;
  bool lines_are_rows_;
};

// A line as the scalar models read it.
struct Line {
  const formats::Format* format;
  std::vector<formats::Bits> bits;

  [[nodiscard]] models::Vector vector() const { return {format, bits.data()}; }
};

[[nodiscard]] inline Line a_line(const operators::GemmProblem& p, const formats::Tensor& a,
                                 std::size_t item, std::size_t i) {
  Line line{a.format, std::vector<formats::Bits>(p.k)};
  for (std::size_t x = 0; x < p.k; ++x) line.bits[x] = a.at(p.a_index(item, i, x));
  return line;
}

[[nodiscard]] inline Line b_line(const operators::GemmProblem& p, const formats::Tensor& b,
                                 std::size_t item, std::size_t j) {
  Line line{b.format, std::vector<formats::Bits>(p.k)};
  for (std::size_t x = 0; x < p.k; ++x) line.bits[x] = b.at(p.b_index(item, x, j));
  return line;
}

}  // namespace halfmark::fast
