// SPDX-License-Identifier: Apache-2.0
// The evaluation of a loss from its formula, right or in one of the ways that implementations
// depart from it, with the results that rounding may give.
#pragma once

#include <string>
#include <utility>

#include "reference/fast/floating_point.hpp"
#include "suites/loss/binding.hpp"

namespace halfmark::suites::loss {

/// The inputs that the operation has.
class Elements {
 public:
  Elements(const Binding& b, const TensorSet& inputs)
      : b_(b), x_(of(inputs, "x")), x2_(of(inputs, "x2")), dy_(of(inputs, "dy")) {}
  [[nodiscard]] formats::Bits x(std::size_t i) const { return x_->at(i); }
  [[nodiscard]] formats::Bits other(std::size_t i) const { return x2_->at(i); }
  [[nodiscard]] formats::Bits upstream(std::size_t i) const { return dy_->at(i); }
  [[nodiscard]] double difference(std::size_t i) const {
    return value_of(*b_.format, x(i)) - value_of(*b_.format, other(i));
  }

 private:
  static const formats::Tensor* of(const TensorSet& inputs, const char* name) {
    const auto found = inputs.find(name);
    return found == inputs.end() ? nullptr : &found->second;
  }
  const Binding& b_;
  const formats::Tensor *x_, *x2_, *dy_;
};

/// How a loss departs from the formula; the defaults do not.
struct Departure {
  const formats::Format* difference = nullptr;
  const formats::Format* square = nullptr;
  const formats::Format* factor = nullptr;
  bool per_element = false;
  bool one_less = false;  // the mean is over one element fewer
  const formats::Format* count_in = nullptr;
  const formats::Format* sum_in = nullptr;
  // Terms per block; each block is summed separately, also in sum_in.
  std::size_t block = 0;
  std::size_t tail_of = 1;   // elements past the last multiple are left out
  bool not_squared = false;  // magnitudes are summed
};

/// The name of the tensor that a loss gives, and how many elements it has.
[[nodiscard]] std::string result_of(const Binding& b);
[[nodiscard]] std::size_t results(const Binding& b);

/// The result whose element i is element(i).
template <typename Element>
[[nodiscard]] TensorSet each(const Binding& b, Element element) {
  const fast::FloatingPointScope scope;
  formats::Tensor y = formats::Tensor::zeros(*b.output, results(b));
  for (std::size_t i = 0; i < y.count(); ++i) y.set(i, element(i));
  TensorSet out;
  out.emplace(result_of(b), std::move(y));
  return out;
}

/// The results that fp32 arithmetic in any order may give, and those in their middle.
[[nodiscard]] Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d);
[[nodiscard]] TensorSet middles(const Binding& b, const TensorSet& inputs, const Departure& d);

}  // namespace halfmark::suites::loss
