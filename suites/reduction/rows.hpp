// SPDX-License-Identifier: Apache-2.0
// The elements of a row, their exact sum and their maximum: the contract's values and those of its
// hypotheses are both computed from these. Does not decide what is promised.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "reference/fast/floating_point.hpp"
#include "suites/reduction/binding.hpp"

namespace halfmark::suites::reduction {

class Row {
 public:
  Row(const Binding& b, const formats::Tensor& x, std::size_t row)
      : b_(b), x_(x), start_(row * b.row_step), width_(b.width) {}
  [[nodiscard]] formats::Bits at(std::size_t column) const {
    return x_.at(start_ + column * b_.element_step);
  }
  [[nodiscard]] std::size_t width() const { return width_; }
  // Only its first elements.
  [[nodiscard]] Row first(std::size_t width) const { return part(0, width); }
  [[nodiscard]] Row part(std::size_t begin, std::size_t width) const {
    Row part = *this;
    part.start_ += begin * b_.element_step;
    part.width_ = width;
    return part;
  }
  [[nodiscard]] const formats::Format& format() const { return *b_.format; }

 private:
  const Binding& b_;
  const formats::Tensor& x_;
  std::size_t start_, width_;
};

/// A row's exact sum, and the largest error of a sum in fp32.
struct Sum {
  double value = 0, radius = 0;
  double sizes = 0;  // of the finite elements
};
[[nodiscard]] Sum sum_of(const Row& x);

/// The first NaN in a column that passes, otherwise the greatest number; -infinity of no numbers.
[[nodiscard]] formats::Bits greatest(const Row& x, bool (*passes)(std::size_t));

/// The greater of the two; a NaN wins, and of two NaNs the first.
[[nodiscard]] formats::Bits greater(const formats::Format& f, formats::Bits a, formats::Bits b);

/// Converts from fp32 to the format of the results.
[[nodiscard]] formats::Bits in_output(const Binding& b, formats::Bits single);

/// The numbers of elements after which a loop, a table or a counter may end; ascending.
[[nodiscard]] std::vector<std::size_t> limits_below(std::size_t width);

/// One result per row.
template <typename Element>
TensorSet each(const Case& c, const TensorSet& inputs, Element element) {
  const fast::FloatingPointScope scope;
  const Binding b = bind(c);
  formats::Tensor y = formats::Tensor::zeros(*b.output, b.rows);
  for (std::size_t row = 0; row < b.rows; ++row) {
    y.set(row, element(b, Row(b, inputs.at("x"), row)));
  }
  TensorSet out;
  out.emplace("y", std::move(y));
  return out;
}

}  // namespace halfmark::suites::reduction
