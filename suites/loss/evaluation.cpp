// SPDX-License-Identifier: Apache-2.0
#include "suites/loss/evaluation.hpp"

#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"

namespace halfmark::suites::loss {
namespace {

using formats::Bits;
using formats::kFp32;
using models::Machine;
using operators::Fp32;

Bits specified(const Binding& b, const Elements& e, std::size_t index, const Machine& machine) {
  const Fp32 op(machine);
  const auto load = [&](Bits bits) { return op.load(*b.format, bits); };
  const auto difference = [&](std::size_t i) { return op.sub(load(e.x(i)), load(e.other(i))); };
  if (b.operation == Operation::kScale) return op.mul(load(e.x(index)), nearest(kFp32, b.power()));
  if (b.operation == Operation::kMseBackward) {
    const Bits factor = op.div(nearest(kFp32, 2), nearest(kFp32, b.power()));
    return op.mul(op.mul(factor, difference(index)), e.upstream(0));
  }
  const auto step = [&](Bits sum, std::size_t i) {
    const Bits d = difference(index * b.width + i);
    return op.fma(d, d, sum);
  };
  const Bits sum =
      operators::reduce_lanes(b.width, 0, step, [&](Bits l, Bits r) { return op.add(l, r); });
  return op.div(sum, nearest(kFp32, static_cast<double>(b.width)));
}

// Roundings that a result passes through at most. Of a gradient: factor, difference, two products.
// Of an error of n terms: difference, which is squared, square, n - 1 additions, and the mean as a
// product with a reciprocal.
constexpr std::size_t kRoundingsOfGradient = 4, kRoundingsBesideTerms = 4;

Interval near(double value, std::size_t roundings) {
  return around(value, widened(std::abs(value) * static_cast<double>(roundings) * kRoundoff));
}

Interval bounded(const Binding& b, const Elements& e, std::size_t index, const Departure& d) {
  if (b.operation == Operation::kMseBackward) {
    const double elements = d.one_less ? b.power() - 1 : b.power();
    const double factor = through(d.factor, 2 / elements);
    const double upstream = value_of(kFp32, e.upstream(d.per_element ? index : 0));
    const double value = factor * through(d.difference, e.difference(index)) * upstream;
    return near(value, kRoundingsOfGradient);
  }
  double sum = 0;
  double part = 0;
  for (std::size_t i = 0; i < b.width / d.tail_of * d.tail_of; ++i) {
    const double difference = through(d.difference, e.difference(index * b.width + i));
    const double term = d.not_squared ? std::abs(difference) : difference * difference;
    part = through(d.sum_in, part + through(d.square, term));
    if (d.block == 0 || (i + 1) % d.block != 0) continue;
    sum = through(d.sum_in, sum + part);
    part = 0;
  }
  sum = through(d.sum_in, sum + part);
  const auto count = static_cast<double>(b.width);
  const double value = sum / through(d.count_in, d.one_less ? count - 1 : count);
  return near(value, b.width + kRoundingsBesideTerms);
}

bool exact(const Binding& b) { return b.portable || b.operation == Operation::kScale; }

}  // namespace

std::string result_of(const Binding& b) {
  return b.operation == Operation::kMseBackward ? "dx" : "y";
}
std::size_t results(const Binding& b) {
  return b.operation == Operation::kMse ? b.rows : b.count();
}

TensorSet middles(const Binding& b, const TensorSet& inputs, const Departure& d) {
  const Elements e(b, inputs);
  return each(b, [&](std::size_t i) { return nearest(*b.output, bounded(b, e, i, d).middle()); });
}

Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d) {
  const Elements e(b, inputs);
  return enclosure_of(result_of(b), *b.output, results(b),
                      [&](std::size_t i) { return bounded(b, e, i, d); });
}

TensorSet refer(const Case& c, const TensorSet& inputs, const Machine& machine) {
  const Binding b = bind(c);
  if (!exact(b)) return middles(b, inputs, {});
  const Elements e(b, inputs);
  return each(b, [&](std::size_t i) {
    return Fp32(machine).store(*b.output, specified(b, e, i, machine));
  });
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  const Binding b = bind(c);
  if (exact(b)) return std::nullopt;
  return intervals(b, inputs, {});
}

}  // namespace halfmark::suites::loss
