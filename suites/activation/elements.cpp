// SPDX-License-Identifier: Apache-2.0
#include "suites/activation/elements.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/fast/floating_point.hpp"
#include "reference/operators/elementary.hpp"

namespace halfmark::suites::activation {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using models::Machine;

Bits selected(const Binding& b, const Machine& machine, Bits x, Bits second) {
  const operators::Fp32 op(machine);
  const Format& f = *b.format;
  const Bits wide = op.load(f, x);
  const Bits other = op.load(f, second);
  const bool positive = operators::Fp32::greater(wide, 0);
  switch (b.row->operation) {
    case Operation::kRelu:
      return op.store(f, operators::Fp32::greater(0, wide) ? 0 : wide);
    case Operation::kReluBackward:
      return op.store(f, positive ? other : 0);
    case Operation::kMax: {
      const bool first_nan = formats::is_nan(formats::kFp32, wide);
      const bool second_nan = formats::is_nan(formats::kFp32, other);
      const bool second_wins = !first_nan && (second_nan || operators::Fp32::greater(other, wide));
      return op.store(f, second_wins ? other : wide);
    }
    case Operation::kGeluTanh:
      return op.store(f, operators::gelu(machine, wide));
    case Operation::kGeluTanhBackward:
      return op.store(f, op.mul(other, operators::gelu_derivative(machine, wide)));
    case Operation::kGelu:
    case Operation::kGeluBackward:
      break;
  }
  return 0;
}

TensorSet each(const Binding& b, const TensorSet& inputs, const Element& element) {
  const Tensor& x = inputs.at("x");
  const auto second = inputs.find(std::string(b.row->second));
  Tensor y = Tensor::zeros(*b.format, x.count());
  for (std::size_t i = 0; i < x.count(); ++i) {
    y.set(i, element(x.at(i), second == inputs.end() ? 0 : second->second.at(i)));
  }
  TensorSet out;
  out.emplace(std::string(b.row->result), std::move(y));
  return out;
}

namespace {

// For the bounded operations.
Gelu form_of(Operation operation) {
  switch (operation) {
    case Operation::kGelu:
      return Gelu::kErf;
    case Operation::kGeluBackward:
      return Gelu::kErfGradient;
    case Operation::kGeluTanh:
      return Gelu::kTanh;
    case Operation::kGeluTanhBackward:
      return Gelu::kTanhGradient;
    case Operation::kRelu:
    case Operation::kReluBackward:
    case Operation::kMax:
      break;
  }
  throw std::logic_error("an operation that selects has no bound");
}

}  // namespace

Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d, Store store) {
  const Format& f = *b.format;
  const Gelu form = form_of(b.row->operation);
  const Tensor& x = inputs.at("x");
  const Tensor* const second =
      b.row->second.empty() ? nullptr : &inputs.at(std::string(b.row->second));
  const auto interval = [&](std::size_t i) {
    const double other = second == nullptr ? 0 : value_of(f, second->at(i));
    return gelu_interval(form, value_of(f, x.at(i)), other, d);
  };
  return enclosure_of(std::string(b.row->result), f, x.count(), interval, store);
}

TensorSet middles(const Enclosure& enclosure) {
  const fast::FloatingPointScope scope;
  TensorSet out = enclosure.low;
  for (auto& [name, tensor] : out) {
    const Format& f = *tensor.format;
    const Tensor& highs = enclosure.high.at(name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const double low = value_of(f, tensor.at(i));
      const double high = value_of(f, highs.at(i));
      // Between a finite encoding and infinity lies infinity; between two infinities, nothing.
      const bool has_middle = low < high && (std::isfinite(low) || std::isfinite(high));
      if (has_middle) tensor.set(i, nearest(f, (low + high) / 2));
    }
  }
  return out;
}

}  // namespace halfmark::suites::activation
