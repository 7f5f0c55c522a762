// SPDX-License-Identifier: Apache-2.0
// What the contract promises for losses, and what implementations have been seen to do instead.
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/loss/binding.hpp"

namespace halfmark::suites::loss {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using operators::Fp32;

constexpr std::string_view kSymmetric =
    "IEEE 754-2019, 4.3.1: rounding to nearest is symmetric, so b - a is -(a - b), and relative "
    "where nothing is subnormal; Higham, Accuracy and Stability of Numerical Algorithms, 2nd "
    "edition, 2.1";

constexpr std::array kRows{
    ContractRow{.id = "loss.specified",
                .tier = Tier::kSpecified,
                .promise = "every result has the bits of the specified sequence",
                .source =
                    "Halfmark kernel specification, kernels/loss.hk; IEEE 754-2019, 5.4.1 and "
                    "4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "loss.scale.exact",
                .tier = Tier::kExact,
                .promise = "loss times scale is one product in fp32, rounded once",
                .source = "IEEE 754-2019, 5.4.1 multiplication"},
    ContractRow{.id = "loss.mse.bound",
                .tier = Tier::kBounded,
                .promise = "the mean of squared differences in fp32, summed in any order, and one "
                           "rounding to the format of the result",
                .source = "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, "
                          "4.2: terms of one sign, so (n + 4) u relative, u = 2^-24"},
    ContractRow{.id = "loss.mse-backward.bound",
                .tier = Tier::kBounded,
                .promise = "2/N * (x - x2) * dy in fp32, in any order, and one rounding to the "
                           "format of the result",
                .source = "Four roundings: 4u relative, u = 2^-24; IEEE 754-2019, 5.4.1"},
    ContractRow{.id = "loss.mse.related",
                .tier = Tier::kExact,
                .promise = "operands that change places, both times a power of two, give the "
                           "square of that power times as much, bit for bit; of the first, the "
                           "case's other row holds",
                .source = kSymmetric},
    ContractRow{.id = "loss.mse-backward.related",
                .tier = Tier::kExact,
                .promise = "operands that change places give minus the gradient, and with dy times "
                           "a power of two that power times as much, bit for bit; of the first, "
                           "the case's other row holds",
                .source = kSymmetric},
    ContractRow{.id = "loss.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

struct Elements {
  const Binding& b;
  const TensorSet& inputs;

  [[nodiscard]] Bits x(std::size_t i) const { return inputs.at("x").at(i); }
  [[nodiscard]] Bits other(std::size_t i) const { return inputs.at("x2").at(i); }
  [[nodiscard]] Bits upstream(std::size_t i) const { return inputs.at("dy").at(i); }
  [[nodiscard]] Real difference(std::size_t i) const {
    return Real::of(*b.format, x(i)) - Real::of(*b.format, other(i));
  }
};

std::string result_of(const Binding& b) {
  return b.operation == Operation::kMseBackward ? "dx" : "y";
}
std::size_t results(const Binding& b) {
  return b.operation == Operation::kMse ? b.rows : b.count();
}

Bits specified(const Binding& b, const Elements& e, std::size_t index, const Machine& machine) {
  const Fp32 op(machine);
  const auto load = [&](Bits bits) { return op.load(*b.format, bits); };
  const auto difference = [&](std::size_t i) { return op.sub(load(e.x(i)), load(e.other(i))); };
  if (b.operation == Operation::kScale) return op.mul(load(e.x(index)), b.power().in(kFp32));
  if (b.operation == Operation::kMseBackward) {
    const Bits factor = op.div(Real(2).in(kFp32), b.power().in(kFp32));
    return op.mul(op.mul(factor, difference(index)), e.upstream(0));
  }
  const auto step = [&](Bits sum, std::size_t i) {
    const Bits d = difference(index * b.width + i);
    return op.fma(d, d, sum);
  };
  const Bits sum =
      operators::reduce_lanes(b.width, 0, step, [&](Bits l, Bits r) { return op.add(l, r); });
  return op.div(sum, Real(static_cast<std::int64_t>(b.width)).in(kFp32));
}

// How a loss departs from the formula; the defaults do not.
struct Departure {
  const Format* difference = nullptr;
  const Format* square = nullptr;
  const Format* factor = nullptr;
  bool per_element = false;
  bool one_less = false;  // the mean is over one element fewer
  const Format* sum_in = nullptr;
  // Terms per block; each block is summed separately, also in sum_in.
  std::size_t block = 0;
  std::size_t tail_of = 1;   // elements past the last multiple are left out
  bool not_squared = false;  // magnitudes are summed
};

Real rounded(const Format* f, Real x) { return f == nullptr ? x : Real::of(*f, x.in(*f)); }

RealInterval bounded(const Binding& b, const Elements& e, std::size_t index, const Departure& d) {
  if (b.operation == Operation::kMseBackward) {
    const Real factor = rounded(d.factor, Real(2) / b.power());
    const Real upstream = Real::of(kFp32, e.upstream(d.per_element ? index : 0));
    const Real value = factor * rounded(d.difference, e.difference(index)) * upstream;
    return around(value, value.abs() * kSingleRounding * Real(5));
  }
  Real sum;
  Real part;
  for (std::size_t i = 0; i < b.width / d.tail_of * d.tail_of; ++i) {
    const Real difference = rounded(d.difference, e.difference(index * b.width + i));
    const Real term = d.not_squared ? difference.abs() : difference * difference;
    part = rounded(d.sum_in, part + rounded(d.square, term));
    if (d.block == 0 || (i + 1) % d.block != 0) continue;
    sum = rounded(d.sum_in, sum + part);
    part = Real();
  }
  sum = rounded(d.sum_in, sum + part);
  const Real count(static_cast<std::int64_t>(b.width));
  const Real value = sum / (d.one_less ? count - Real(1) : count);
  if (!((value - value).abs() < Real(1))) return {value, value};
  return around(value, value.abs() * kSingleRounding * (count + Real(5)));
}

template <typename Element>
TensorSet each(const Binding& b, Element element) {
  Tensor y = Tensor::zeros(*b.output, results(b));
  for (std::size_t i = 0; i < y.count(); ++i) y.set(i, element(i));
  TensorSet out;
  out.emplace(result_of(b), std::move(y));
  return out;
}

TensorSet middles(const Binding& b, const TensorSet& inputs, const Departure& d) {
  const Elements e{b, inputs};
  return each(b, [&](std::size_t i) {
    const RealInterval all = bounded(b, e, i, d);
    const Real middle = all.low < all.high ? (all.low + all.high) * Real(1, -1) : all.low;
    return middle.in(*b.output);
  });
}

Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d) {
  const Elements e{b, inputs};
  Enclosure enclosure = empty_enclosure(result_of(b), *b.output, results(b));
  for (std::size_t i = 0; i < results(b); ++i) {
    allow(enclosure, result_of(b), i, bounded(b, e, i, d));
  }
  return enclosure;
}

bool exact(const Binding& b) { return b.portable || b.operation == Operation::kScale; }

struct Row {
  std::string_view name, finding_class, sentence;
  Operation operation;
  Departure departure;
};

constexpr Row kDepartures[] = {
    {"square-in-fp16",
     "overflow",
     "the squared difference is rounded to fp16",
     Operation::kMse,
     {.square = &kFp16}},
    {"square-in-bf16",
     "early_round",
     "the squared difference is rounded to bf16",
     Operation::kMse,
     {.square = &formats::kBf16}},
    {"difference-in-fp16",
     "early_round",
     "the difference is rounded to fp16",
     Operation::kMse,
     {.difference = &kFp16}},
    {"difference-in-bf16",
     "early_round",
     "the difference is rounded to bf16",
     Operation::kMse,
     {.difference = &formats::kBf16}},
    {"mean-over-one-less",
     "formula",
     "the sum is divided by N - 1",
     Operation::kMse,
     {.one_less = true}},
    {"sum-in-fp16",
     "acc_narrow",
     "the sum of squares is kept in fp16",
     Operation::kMse,
     {.sum_in = &kFp16}},
    {"sum-in-bf16",
     "acc_narrow",
     "the sum of squares is kept in bf16",
     Operation::kMse,
     {.sum_in = &formats::kBf16}},
    {"not-squared",
     "formula",
     "the sizes of differences are summed, and not their squares",
     Operation::kMse,
     {.not_squared = true}},
    {"gradient-difference-in-fp16",
     "early_round",
     "the difference is rounded to fp16",
     Operation::kMseBackward,
     {.difference = &kFp16}},
    {"gradient-difference-in-bf16",
     "early_round",
     "the difference is rounded to bf16",
     Operation::kMseBackward,
     {.difference = &formats::kBf16}},
    {"factor-in-fp16",
     "underflow",
     "2/N is rounded to fp16",
     Operation::kMseBackward,
     {.factor = &kFp16}},
    {"upstream-per-element",
     "layout",
     "the upstream gradient is indexed by the element",
     Operation::kMseBackward,
     {.per_element = true}},
};

// A scale that exceeds fp16's range becomes its largest number.
Hypothesis clamped_scale() {
  return {.name = "scale-within-fp16",
          .finding_class = "scalar_precision",
          .sentence = "the scale is no more than the largest number of fp16",
          .evaluate = [](const Case& c, const TensorSet& in) {
            const Binding b = bind(c);
            const Elements e{b, in};
            const Real largest = Real::of(kFp16, formats::max_finite(kFp16));
            const Real scale = largest < b.power() ? largest : b.power();
            return each(b, [&](std::size_t i) {
              const Real product = Real::of(*b.format, e.x(i)) * scale;
              return rounded(&kFp32, product).in(*b.output);
            });
          }};
}

Hypothesis departure(std::string name, std::string_view finding_class, std::string sentence,
                     const Departure& d) {
  return {.name = std::move(name),
          .finding_class = std::string(finding_class),
          .sentence = std::move(sentence),
          .evaluate = [d](const Case& c, const TensorSet& in) -> Expectation {
            return {middles(bind(c), in, d), intervals(bind(c), in, d)};
          }};
}

// The scale's product, rounded to an intermediate format.
Hypothesis narrow_product(const Format& f) {
  return {.name = "product-in-" + std::string(f.name),
          .finding_class = "overflow",
          .sentence = "loss times scale is rounded to " + std::string(f.name),
          .evaluate = [&f](const Case& c, const TensorSet& in) {
            const Binding b = bind(c);
            const Elements e{b, in};
            return each(b, [&](std::size_t i) {
              return rounded(&f, Real::of(*b.format, e.x(i)) * b.power()).in(*b.output);
            });
          }};
}

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return kRows.back(); }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.portable) return kRows[0];
  if (b.operation == Operation::kScale) return kRows[1];
  return kRows[b.operation == Operation::kMse ? 2 : 3];
}

TensorSet refer(const Case& c, const TensorSet& inputs, const Machine& machine) {
  const Binding b = bind(c);
  if (!exact(b)) return middles(b, inputs, {});
  const Elements e{b, inputs};
  return each(b, [&](std::size_t i) {
    return Fp32(machine).store(*b.output, specified(b, e, i, machine));
  });
}

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  // A 16-bit result may be subnormal.
  const bool scales = *b.output == kFp32;
  const int exponent = scales ? -3 : 0;
  if (b.operation == Operation::kMse) {
    return Relation{.row = &kRows[4],
                    .first = scales ? "mse(x, x2) / 64" : "mse(x, x2)",
                    .second = scales ? "mse(x2 / 8, x / 8)" : "mse(x2, x)",
                    .operands = {{.tensor = "x", .source = "x2", .exponent = exponent},
                                 {.tensor = "x2", .source = "x", .exponent = exponent}},
                    .results = {{.tensor = "y", .exponent = 2 * exponent}}};
  }
  return Relation{
      .row = &kRows[5],
      .first = scales ? "minus the gradient of mse(x, x2) with dy, over 8,"
                      : "minus the gradient of mse(x, x2)",
      .second = scales ? "the gradient of mse(x2, x) with dy / 8" : "the gradient of mse(x2, x)",
      .operands = {{.tensor = "x", .source = "x2"},
                   {.tensor = "x2", .source = "x"},
                   {.tensor = "dy", .exponent = exponent}},
      .results = {{.tensor = "dx", .exponent = exponent, .negated = true}}};
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  const Binding b = bind(c);
  if (exact(b)) return std::nullopt;
  return intervals(b, inputs, {});
}

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding bound = bind(c);
  std::vector<Hypothesis> list;
  if (bound.operation == Operation::kScale) {
    list.push_back(narrow_product(kFp16));
    list.push_back(narrow_product(formats::kBf16));
    list.push_back(clamped_scale());
  }
  for (const Row& row : kDepartures) {
    if (row.operation != bound.operation) continue;
    list.push_back(departure(std::string(row.name), row.finding_class, std::string(row.sentence),
                             row.departure));
  }
  if (bound.operation != Operation::kMse) return list;
  for (const Format* f : {&kFp16, &formats::kBf16}) {
    for (const std::size_t block : power_blocks(std::min<std::size_t>(bound.width, 512))) {
      list.push_back(
          departure(fmt::format("blocks-of-{}-in-{}", block, f->name), "acc_narrow",
                    fmt::format("squares are summed in {}, {} at a time, and so are the sums",
                                f->name, block),
                    {.sum_in = f, .block = block}));
    }
  }
  for (const std::size_t block : blocks_by_tail(bound.width, 1024)) {
    list.push_back(
        departure(fmt::format("tail-of-{}-left-out", block), "edge_tile",
                  fmt::format("elements from the last multiple of {} on are not summed", block),
                  {.tail_of = block}));
  }
  return list;
}

}  // namespace halfmark::suites::loss
