// SPDX-License-Identifier: Apache-2.0
// A twin of the training step in the host's float and _Float16 arithmetic, with bf16 rounded in
// integers and 8 bits by looking among all their numbers, for tests. Only the activation comes from
// the reference, which has its own test. Assumes: the host rounds to nearest even, and its compiler
// contracts nothing.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "reference/operators/elementary.hpp"
#include "reference/operators/loss_scaled_backward.hpp"

namespace halfmark::operators::training_twin {

using formats::Bits;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

using Matrix = std::vector<float>;  // values that may have been rounded to half

inline float rounded_to_half(float x) { return static_cast<float>(static_cast<_Float16>(x)); }
inline float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
}
inline float as_float(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline Bits as_bits(float x) { return std::bit_cast<std::uint32_t>(x); }

inline Tensor half_tensor(const Matrix& values) {
  Tensor tensor = Tensor::zeros(kFp16, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    tensor.set(i, std::bit_cast<std::uint16_t>(static_cast<_Float16>(values[i])));
  }
  return tensor;
}

inline Tensor single_tensor(const Matrix& values) {
  Tensor tensor = Tensor::zeros(kFp32, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set(i, as_bits(values[i]));
  return tensor;
}

inline Tensor bf16_tensor(const Matrix& values) {
  Tensor tensor = Tensor::zeros(kBf16, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set(i, as_bits(values[i]) >> 16);
  return tensor;
}

// A format of 16 bits: how a float is rounded to it, and how rounded ones are stored.
struct Half {
  const formats::Format* format;
  float (*rounded)(float);
  Tensor (*tensor)(const Matrix&);
};
inline constexpr Half kHalves[] = {{&kFp16, rounded_to_half, half_tensor},
                                   {&kBf16, rounded_to_bf16, bf16_tensor}};

inline Matrix mapped(const Matrix& in, const std::function<float(float)>& f) {
  Matrix out;
  for (const float x : in) out.push_back(f(x));
  return out;
}

// sum over k of a(i, k) * b(k, j).
inline Matrix multiply(std::size_t m, std::size_t n, std::size_t k,
                       const std::function<float(std::size_t, std::size_t)>& a,
                       const std::function<float(std::size_t, std::size_t)>& b) {
  Matrix d;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float acc = 0.0f;
      for (std::size_t x = 0; x < k; ++x) acc = std::fma(a(i, x), b(x, j), acc);
      d.push_back(acc);
    }
  }
  return d;
}

// The numbers of a format of 8 bits that are not negative, in the order of their encodings.
inline std::vector<double> numbers_of_eight(int fraction_bits, int bias, int count) {
  std::vector<double> numbers;
  const int step = 1 << fraction_bits;
  for (int bits = 0; bits < count; ++bits) {
    const int exponent = bits / step, fraction = bits % step;
    numbers.push_back(exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                    : std::ldexp(step + fraction, exponent - bias - fraction_bits));
  }
  return numbers;
}

struct Eight {
  const formats::Format* format;
  std::vector<double> numbers;
};
inline const Eight& e4m3fn_of_twin() {
  static const Eight kFormat{&formats::kE4m3fn, numbers_of_eight(3, 7, 0x7f)};
  return kFormat;
}
inline const Eight& e5m2_of_twin() {
  static const Eight kFormat{&formats::kE5m2, numbers_of_eight(2, 15, 0x7c)};
  return kFormat;
}

// The encoding of the nearest number, of the largest one for what is beyond it.
inline unsigned encoded(const Eight& eight, float x) {
  const unsigned sign = std::signbit(x) ? 0x80U : 0U;
  if (std::isnan(x)) return sign | 0x7fU;
  const double size = std::fabs(static_cast<double>(x));
  unsigned best = 0;
  for (unsigned i = 1; i < eight.numbers.size(); ++i) {
    const double nearer = std::fabs(eight.numbers[i] - size),
                 far = std::fabs(eight.numbers[best] - size);
    if (nearer < far || (nearer == far && i % 2 == 0)) best = i;
  }
  return sign | (std::isinf(x) ? static_cast<unsigned>(eight.numbers.size() - 1) : best);
}

// An operand of products, and how it came to be. Without 8 bits it is the matrix itself.
struct Operand {
  Matrix values;
  const Eight* eight = nullptr;
  float amax = 0, scale = 1, inverse = 1;
  std::vector<unsigned> bits = {};
};

inline Operand operand_of(const Matrix& x, const Eight* eight) {
  Operand result{.values = x, .eight = eight};
  if (eight == nullptr) return result;
  for (const float v : x) result.amax = std::fmax(result.amax, std::fabs(v));
  if (result.amax > 0 && !std::isinf(result.amax))
    result.scale = std::fmin(static_cast<float>(eight->numbers.back()) / result.amax,
                             std::numeric_limits<float>::max());
  result.inverse = 1.0f / result.scale;
  for (float& v : result.values) {
    const unsigned bits = encoded(*eight, v * result.scale);
    result.bits.push_back(bits);
    const double size = std::isnan(v) ? NAN : eight->numbers[bits & 0x7fU];
    v = static_cast<float>((bits & 0x80U) != 0 ? -size : size);
  }
  return result;
}

struct Twin {
  Matrix w1h, w2h, h, g, y, dy, dw2, dg, dh, dw1, g1, g2, w1, w2;
  float loss = 0;
  Matrix b1h, b2h, s1, s2, db1, db2, gb1, gb2, b1, b2;
  Operand ox, ow1h, ow2h, og, ody, odh;
};

struct Masters {
  Matrix w1, w2, b1, b2;  // biases may be empty
};

inline float folded(std::array<float, 64> lanes) {
  for (std::size_t width = 32; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) lanes[i] = lanes[i] + lanes[i + width];
  }
  return lanes[0];
}

// The sum of each column over the rows.
inline Matrix column_sums(const Matrix& d, std::size_t columns) {
  Matrix sums;
  for (std::size_t j = 0; j < columns; ++j) {
    std::array<float, 64> lanes{};
    for (std::size_t row = 0; row < d.size() / columns; ++row)
      lanes[row % 64] = lanes[row % 64] + d[row * columns + j];
    sums.push_back(folded(lanes));
  }
  return sums;
}

inline Matrix with_bias(Matrix sums, const Matrix& bias) {
  for (std::size_t i = 0; i < sums.size() && !bias.empty(); ++i)
    sums[i] = sums[i] + bias[i % bias.size()];
  return sums;
}

inline Twin twin(const TrainingProblem& p, const Half& half, const Matrix& x, const Matrix& t,
                 const Masters& masters, float scale) {
  Twin s;
  const models::Machine ieee;
  const auto rounded = [&](const Matrix& wide) { return mapped(wide, half.rounded); };
  s.w1h = rounded(masters.w1);
  s.w2h = rounded(masters.w2);
  s.b1h = rounded(masters.b1);
  s.b2h = rounded(masters.b2);
  const Eight* forward = p.has_scaled_products ? &e4m3fn_of_twin() : nullptr;
  const Eight* backward = p.has_scaled_products ? &e5m2_of_twin() : nullptr;
  const auto scaled_back = [](const Matrix& sums, const Operand& a, const Operand& b) {
    return mapped(sums, [factor = a.inverse * b.inverse](float v) { return v * factor; });
  };
  s.ox = operand_of(x, forward);
  s.ow1h = operand_of(s.w1h, forward);
  s.ow2h = operand_of(s.w2h, forward);
  s.s1 = scaled_back(
      multiply(
          p.batch, p.hidden, p.in, [&](auto i, auto k) { return s.ox.values[i * p.in + k]; },
          [&](auto k, auto j) { return s.ow1h.values[j * p.in + k]; }),
      s.ox, s.ow1h);
  s.h = rounded(with_bias(s.s1, s.b1h));
  s.g = mapped(s.h, [&](float v) { return half.rounded(as_float(gelu(ieee, as_bits(v)))); });
  s.og = operand_of(s.g, forward);
  s.s2 = scaled_back(
      multiply(
          p.batch, p.out, p.hidden, [&](auto i, auto k) { return s.og.values[i * p.hidden + k]; },
          [&](auto k, auto j) { return s.ow2h.values[j * p.hidden + k]; }),
      s.og, s.ow2h);
  s.y = rounded(with_bias(s.s2, s.b2h));
  std::array<float, 64> lanes{};
  const auto count = static_cast<float>(s.y.size());
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const float r = s.y[i] - t[i];
    lanes[i % 64] = std::fma(r, r, lanes[i % 64]);
    const float part = 2.0f / count * r;
    s.dy.push_back(half.rounded(scale * part));
  }
  s.loss = folded(lanes) / count;
  s.ody = operand_of(s.dy, backward);
  s.dw2 = rounded(scaled_back(
      multiply(
          p.out, p.hidden, p.batch, [&](auto i, auto k) { return s.ody.values[k * p.out + i]; },
          [&](auto k, auto j) { return s.og.values[k * p.hidden + j]; }),
      s.ody, s.og));
  s.dg = rounded(scaled_back(
      multiply(
          p.batch, p.hidden, p.out, [&](auto i, auto k) { return s.ody.values[i * p.out + k]; },
          [&](auto k, auto j) { return s.ow2h.values[k * p.hidden + j]; }),
      s.ody, s.ow2h));
  for (std::size_t i = 0; i < s.h.size(); ++i) {
    s.dh.push_back(half.rounded(s.dg[i] * as_float(gelu_derivative(ieee, as_bits(s.h[i])))));
  }
  s.odh = operand_of(s.dh, backward);
  s.dw1 = rounded(scaled_back(
      multiply(
          p.hidden, p.in, p.batch, [&](auto i, auto k) { return s.odh.values[k * p.hidden + i]; },
          [&](auto k, auto j) { return s.ox.values[k * p.in + j]; }),
      s.odh, s.ox));
  s.db2 = rounded(column_sums(s.dy, p.out));
  s.db1 = rounded(column_sums(s.dh, p.hidden));
  const auto unscaled = [&](const Matrix& d) {
    return mapped(d, [inverse = 1.0f / scale](float g) { return g * inverse; });
  };
  const auto descended = [&](const Matrix& weights, const Matrix& g) {
    Matrix next;
    for (std::size_t i = 0; i < weights.size(); ++i)
      next.push_back(std::fma(-as_float(p.rate), g[i], weights[i]));
    return next;
  };
  s.g1 = unscaled(s.dw1);
  s.g2 = unscaled(s.dw2);
  s.gb1 = unscaled(s.db1);
  s.gb2 = unscaled(s.db2);
  s.w1 = descended(masters.w1, s.g1);
  s.w2 = descended(masters.w2, s.g2);
  s.b1 = descended(masters.b1, s.gb1);
  s.b2 = descended(masters.b2, s.gb2);
  return s;
}

inline Matrix random_matrix(std::size_t count, float deviation, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0.0f, deviation);
  Matrix values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

}  // namespace halfmark::operators::training_twin
