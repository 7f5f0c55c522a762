// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/perceptron.hpp"

#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

const models::Machine kMachine;
const Fp32 kOp(kMachine);

Bits loaded(const Tensor& x, std::size_t i) { return kOp.load(*x.format, x.at(i)); }

template <typename Map>
Tensor mapped(const formats::Format& format, std::size_t count, const Map& value_at) {
  Tensor result = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) result.set(i, kOp.store(format, value_at(i)));
  return result;
}

Bits whole(std::size_t count) {
  return soft::from_int(kFp32, static_cast<std::int64_t>(count)).bits;
}

Bits sum_of(Bits a, Bits b) { return kOp.add(a, b); }

}  // namespace

Tensor perceptron_gelu(const Tensor& h) {
  return mapped(*h.format, h.count(), [&](std::size_t i) { return gelu(kMachine, loaded(h, i)); });
}

Tensor perceptron_gelu_gradient(const Tensor& dg, const Tensor& h) {
  return mapped(*dg.format, dg.count(), [&](std::size_t i) {
    return kOp.mul(loaded(dg, i), gelu_derivative(kMachine, loaded(h, i)));
  });
}

Tensor squared_error(const Tensor& y, const Tensor& t) {
  const auto add_square = [&](Bits sum, std::size_t i) {
    const Bits r = kOp.sub(loaded(y, i), loaded(t, i));
    return kOp.fma(r, r, sum);
  };
  const Bits sum = reduce_lanes(y.count(), 0, add_square, sum_of);
  return Tensor::from_bits(kFp32, std::array<Bits, 1>{kOp.div(sum, whole(y.count()))});
}

Tensor squared_error_gradient(const Tensor& y, const Tensor& t, Bits scale) {
  constexpr Bits kTwo = 0x40000000;
  const Bits share = kOp.div(kTwo, whole(y.count()));
  return mapped(kFp32, y.count(), [&](std::size_t i) {
    return kOp.mul(scale, kOp.mul(share, kOp.sub(loaded(y, i), loaded(t, i))));
  });
}

Tensor column_sums(const Tensor& x, std::size_t rows) {
  const std::size_t columns = x.count() / rows;
  return mapped(*x.format, columns, [&](std::size_t column) {
    const auto add = [&](Bits sum, std::size_t row) {
      return kOp.add(sum, loaded(x, row * columns + column));
    };
    return reduce_lanes(rows, 0, add, sum_of);
  });
}

bool UnscaledStrips::found() const {
  return std::any_of(flags.bytes.begin(), flags.bytes.end(),
                     [](std::byte byte) { return byte != std::byte{0}; });
}

UnscaledStrips unscaled_strips(const Tensor& gradients, Bits factor) {
  const std::size_t count = gradients.count();
  UnscaledStrips result{
      .gradients = mapped(kFp32, count,
                          [&](std::size_t i) { return kOp.mul(loaded(gradients, i), factor); }),
      .flags = Tensor::zeros(kFp32, (count + kCheckStrip - 1) / kCheckStrip)};
  for (std::size_t i = 0; i < count; ++i) {
    if (!formats::is_finite(*gradients.format, gradients.at(i)))
      result.flags.set(i / kCheckStrip, Fp32::kOne);
  }
  return result;
}

Tensor descended(const Tensor& weights, const Tensor& gradients, Bits rate) {
  return mapped(kFp32, weights.count(), [&](std::size_t i) {
    return kOp.fma(Fp32::negated(rate), gradients.at(i), weights.at(i));
  });
}

}  // namespace halfmark::operators
