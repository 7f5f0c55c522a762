// SPDX-License-Identifier: Apache-2.0
// The data of a training step. README.md explains each fill; magnitudes here are chosen for
// gradients, not for what a network would learn.
#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

struct Data {
  Tensor x, t, w1, w2, b1, b2;
};

// A bell curve with standard deviation 2^exponent.
Tensor bell(const Case& c, const char* name, const Format& format, std::size_t count,
            int exponent) {
  Tensor tensor = fill(format, count, "normal", Random(c, name));
  for (std::size_t i = 0; i < count; ++i)
    tensor.set(i, soft::ldexp(format, tensor.at(i), exponent).bits);
  return tensor;
}

// Approximately the binary logarithm of 1 / sqrt(fan_in).
int gain(std::size_t fan_in) { return -(static_cast<int>(std::bit_width(fan_in)) - 1) / 2; }

constexpr int kBiases = -3, kSmallBiases = -9;

Data normal(const Case& c, const operators::TrainingProblem& p, int t_exponent, int w2_exponent) {
  return {.x = bell(c, "x", *p.format, p.batch * p.in, 0),
          .t = bell(c, "t", *p.format, p.batch * p.out, t_exponent),
          .w1 = bell(c, "w1", kFp32, p.hidden * p.in, gain(p.in)),
          .w2 = bell(c, "w2", kFp32, p.out * p.hidden, w2_exponent),
          .b1 = bell(c, "b1", kFp32, p.hidden, kBiases),
          .b2 = bell(c, "b2", kFp32, p.out, kBiases)};
}

std::size_t position(const Case& c, const char* what, std::size_t count) {
  return Random(c, what).below(0, count);
}

// A gradient of an output times the number of outputs N.
std::int64_t large(const operators::TrainingProblem& p, std::int64_t gradient) {
  return gradient * static_cast<std::int64_t>(p.batch * p.out);
}

// T, so that dY is the gradient in fp16 at scale 2^16, and the gradient times 2^112 in bf16 at
// scale 2^120: dY = scale * 2/N * (Y - T), and Y is negligible.
Bits target_for(const operators::TrainingProblem& p, std::int64_t gradient_times_n) {
  return scaled(*p.format, -gradient_times_n, *p.format == formats::kFp16 ? -17 : -9);
}

void make_biases_small(const Case& c, Data& data) {
  data.b1 = bell(c, "b1", kFp32, data.b1.count(), kSmallBiases);
  data.b2 = bell(c, "b2", kFp32, data.b2.count(), kSmallBiases);
}

// lone, tail: one sample has input, one hidden unit and one output are large, so that exactly one
// gradient of W2 overflows: 30000 * gelu(4). Everything else stays finite.
Data with_lone(const Case& c, const operators::TrainingProblem& p, std::size_t unit,
               std::size_t output) {
  Data data = normal(c, p, 0, -12);
  make_biases_small(c, data);
  data.x = Tensor::zeros(*p.format, p.batch * p.in);
  data.t = Tensor::zeros(*p.format, p.batch * p.out);
  data.x.set(0, formats::one(*p.format));
  for (std::size_t j = 0; j < p.hidden; ++j) {
    const Bits small =
        scaled(kFp32, static_cast<std::int64_t>(Random(c, "h").below(j, 255)) - 127, -9);
    data.w1.set(j * p.in, j == unit ? scaled(kFp32, 4, 0) : small);
  }
  for (std::size_t j = 0; j < p.out; ++j)
    data.t.set(j, target_for(p, j == output ? large(p, 30000) : -(large(p, 30000) / 32)));
  return data;
}

Data lone(const Case& c, const operators::TrainingProblem& p) {
  return with_lone(c, p, position(c, "unit", p.hidden), position(c, "output", p.out));
}

// The very last gradient, where a vectorized check may stop early.
Data tail(const Case& c, const operators::TrainingProblem& p) {
  return with_lone(c, p, p.hidden - 1, p.out - 1);
}

// Every sample has the same large gradient at one output, so that exactly one gradient of b2
// overflows: batch * 50000. Activations are so small that no gradient of a weight does.
Data lone_bias(const Case& c, const operators::TrainingProblem& p) {
  constexpr int kSmall = -6;
  Data data = normal(c, p, 0, -12);
  make_biases_small(c, data);
  data.x = bell(c, "x", *p.format, p.batch * p.in, kSmall);
  data.t = Tensor::zeros(*p.format, p.batch * p.out);
  const std::size_t output = position(c, "output", p.out);
  for (std::size_t i = 0; i < p.batch; ++i)
    data.t.set(i * p.out + output, target_for(p, large(p, 50000)));
  return data;
}

Data fragile(const Case& c, const operators::TrainingProblem& p) {
  const int share = static_cast<int>(std::bit_width(p.batch * p.out)) - 2;  // of 2/N
  return normal(c, p, -3, std::min(-6, share - 14));
}

Data with_one(const Case& c, const operators::TrainingProblem& p, Bits bits) {
  Data data = normal(c, p, 0, gain(p.hidden));
  data.t.set(position(c, "target", data.t.count()), bits);
  return data;
}

// Each output has gradients of another magnitude, from 2^0 down to 2^-30, and Y is negligible: what
// is brought to e5m2 by the largest of them has subnormals among the smallest.
Data spread(const Case& c, const operators::TrainingProblem& p) {
  constexpr int kRange = 30, kNegligible = -40;
  Data data = normal(c, p, 0, kNegligible);
  for (std::size_t i = 0; i < data.t.count(); ++i) {
    const auto below = static_cast<int>(kRange * (i % p.out) / std::max<std::size_t>(p.out - 1, 1));
    data.t.set(i, soft::ldexp(*p.format, data.t.at(i), -below).bits);
  }
  return data;
}

// Gradients so small that the largest number of e5m2, divided by their maximum, is beyond fp32.
Data faint(const Case& c, const operators::TrainingProblem& p) { return normal(c, p, -114, -114); }

struct FillRow {
  std::string_view name;
  Data (*make)(const Case&, const operators::TrainingProblem&);
};

constexpr FillRow kFills[] = {
    {"normal", [](const Case& c,
                  const operators::TrainingProblem& p) { return normal(c, p, 0, gain(p.hidden)); }},
    {"fragile", fragile},
    {"lone", lone},
    {"tail", tail},
    {"lonebias", lone_bias},
    {"inf",
     [](const Case& c, const operators::TrainingProblem& p) {
       return with_one(c, p, formats::infinity(*p.format));
     }},
    {"nan",
     [](const Case& c, const operators::TrainingProblem& p) {
       return with_one(c, p, formats::quiet_nan(*p.format));
     }},
    {"spread", spread},
    {"faint", faint},
    {"still",
     [](const Case& c, const operators::TrainingProblem& p) {
       Data data = normal(c, p, 0, gain(p.hidden));
       data.x = Tensor::zeros(*p.format, data.x.count());
       data.t = Tensor::zeros(*p.format, data.t.count());
       data.b1 = Tensor::zeros(kFp32, data.b1.count());
       data.b2 = Tensor::zeros(kFp32, data.b2.count());
       return data;
     }},
};

}  // namespace

std::span<const std::string_view> fill_names() {
  static const auto kNames = names_of(kFills);
  return kNames;
}

TensorSet make_inputs(const Case& c) {
  const Binding bound = bind(c);
  Data data = row_named(kFills, bound.fill).make(c, bound.problem);
  const auto one_word = [](Bits bits) {
    return Tensor::from_bits(kFp32, std::array<Bits, 1>{bits});
  };
  TensorSet inputs{{"x", std::move(data.x)},
                   {"t", std::move(data.t)},
                   {"12_w1", std::move(data.w1)},
                   {"13_w2", std::move(data.w2)},
                   {"14_scale", one_word(bound.scale->bits)},
                   {"15_growth", one_word(bound.scale->growth)}};
  if (!bound.problem.has_biases) return inputs;
  inputs.emplace("12_b1", std::move(data.b1));
  inputs.emplace("13_b2", std::move(data.b2));
  return inputs;
}

}  // namespace halfmark::suites::loss_scaled_backward
