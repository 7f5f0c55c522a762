// SPDX-License-Identifier: Apache-2.0
#include "suites/convert/faithful.hpp"

#include <string>
#include <utility>

#include "reference/formats/classify.hpp"

namespace halfmark::suites::convert {

using formats::Bits;

Bits plain(const Binding& b, Bits x) { return converted(b, x, {.overflow = b.overflow}); }

formats::Tensor mapped(const Binding& b, const formats::Tensor& x,
                       const std::function<Bits(Bits)>& map) {
  formats::Tensor y = formats::Tensor::zeros(*b.to, x.count());
  for (std::size_t i = 0; i < x.count(); ++i) y.set(i, map(x.at(i)));
  return y;
}

bool is_faithful(const Binding& b, Bits x, Bits y) {
  // An infinity is no number between two others.
  const bool is_number = b.from == nullptr || formats::is_finite(*b.from, x);
  const auto rounded = [&](soft::Rounding direction) {
    return converted(b, x, {.rounding = direction, .overflow = b.overflow});
  };
  const auto is_y = [&](Bits due) {
    return y == due || (formats::is_nan(*b.to, due) && formats::is_nan(*b.to, y));
  };
  if (!is_number) return is_y(plain(b, x));
  return is_y(rounded(soft::Rounding::kDown)) || is_y(rounded(soft::Rounding::kUp));
}

namespace {

bool are_faithful(const Case& c, const TensorSet& inputs, const TensorSet& results) {
  const Binding b = bind(c);
  const formats::Tensor& x = inputs.at("x");
  const formats::Tensor& y = results.at("y");
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (!is_faithful(b, x.at(i), y.at(i))) return false;
  }
  return true;
}

}  // namespace

Hypothesis with_freedom(Hypothesis hypothesis, std::string_view freedom) {
  if (!freedom.empty()) hypothesis.freedoms = {std::string(freedom)};
  if (freedom == kFaithful) hypothesis.is_within = are_faithful;
  return hypothesis;
}

}  // namespace halfmark::suites::convert
