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
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

struct Data {
  Tensor x, t, w1, w2;
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

Data normal(const Case& c, const operators::TrainingProblem& p, int t_exponent, int w2_exponent) {
  return {.x = bell(c, "x", kFp16, p.batch * p.in, 0),
          .t = bell(c, "t", kFp16, p.batch * p.out, t_exponent),
          .w1 = bell(c, "w1", kFp32, p.hidden * p.in, gain(p.in)),
          .w2 = bell(c, "w2", kFp32, p.out * p.hidden, w2_exponent)};
}

std::size_t position(const Case& c, const char* what, std::size_t count) {
  return Random(c, what).below(0, count);
}

// lone, tail: one sample has input, one hidden unit and one output are large, so that exactly one
// gradient of W2 overflows at scale 2^16: 30000 * gelu(4). Everything else stays finite.
Data with_lone(const Case& c, const operators::TrainingProblem& p, std::size_t unit,
               std::size_t output) {
  Data data = normal(c, p, 0, -12);
  data.x = Tensor::zeros(kFp16, p.batch * p.in);
  data.t = Tensor::zeros(kFp16, p.batch * p.out);
  data.x.set(0, formats::one(kFp16));
  for (std::size_t j = 0; j < p.hidden; ++j) {
    const Bits small =
        scaled(kFp32, static_cast<std::int64_t>(Random(c, "h").below(j, 255)) - 127, -9);
    data.w1.set(j * p.in, j == unit ? scaled(kFp32, 4, 0) : small);
  }
  // dY = 2^16 * 2/N * (Y - T), and Y is negligible.
  const auto large = static_cast<std::int64_t>(30000 * p.batch * p.out);
  for (std::size_t j = 0; j < p.out; ++j)
    data.t.set(j, scaled(kFp16, j == output ? -large : large / 32, -17));
  return data;
}

Data lone(const Case& c, const operators::TrainingProblem& p) {
  return with_lone(c, p, position(c, "unit", p.hidden), position(c, "output", p.out));
}

// The very last gradient, where a vectorized check may stop early.
Data tail(const Case& c, const operators::TrainingProblem& p) {
  return with_lone(c, p, p.hidden - 1, p.out - 1);
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
    {"inf",
     [](const Case& c, const operators::TrainingProblem& p) {
       return with_one(c, p, formats::infinity(kFp16));
     }},
    {"nan",
     [](const Case& c, const operators::TrainingProblem& p) {
       return with_one(c, p, formats::quiet_nan(kFp16));
     }},
    {"still",
     [](const Case& c, const operators::TrainingProblem& p) {
       Data data = normal(c, p, 0, gain(p.hidden));
       data.x = Tensor::zeros(kFp16, data.x.count());
       data.t = Tensor::zeros(kFp16, data.t.count());
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
  return {{"x", std::move(data.x)},
          {"t", std::move(data.t)},
          {"12_w1", std::move(data.w1)},
          {"13_w2", std::move(data.w2)},
          {"14_scale", one_word(bound.scale->bits)},
          {"15_growth", one_word(bound.scale->growth)}};
}

}  // namespace halfmark::suites::loss_scaled_backward
