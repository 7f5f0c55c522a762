// SPDX-License-Identifier: Apache-2.0
// The operators convert, gelu, gelu_tanh, relu and max, and their gradients: element by element
// over vectors, in fp32, with one rounding to the format of the result.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "backends/host/library/elementwise_policy.hpp"
#include "backends/host/library/exact_gelu.hpp"
#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {
namespace {

constexpr std::int64_t kBlock = 4096;

void for_each_element(const Context& context, std::int64_t count,
                      const std::function<void(std::int64_t)>& work) {
  rows_do(context.pool, (count + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const std::int64_t end = std::min(count, (block + 1) * kBlock);
    for (std::int64_t i = block * kBlock; i < end; ++i) work(i);
  });
}

// The elements of a vector, by index.
struct Vector {
  Tensor tensor;
  std::int64_t count = 0, stride = 1;

  [[nodiscard]] float load(std::int64_t i) const {
    return static_cast<float>(tensor.load(i * stride));
  }
  void store(std::int64_t i, double value, const Storing& storing = {}) const {
    tensor.store(i * stride, value, storing);
  }
};

Vector vector(const Context& context, std::string_view role) {
  const Tensor tensor = context.tensor(role, 1, 1);
  return {.tensor = tensor, .count = tensor.sizes[0], .stride = tensor.strides[0]};
}

Vector vector_like(const Context& context, std::string_view role, const Vector& other) {
  const Vector result = vector(context, role);
  if (result.count != other.count) throw Unsupported{fmt::format("'{}' has another length", role)};
  return result;
}

// --- convert

double read(const Tensor& x, const ConvertPolicy& policy, std::int64_t offset) {
  const Format& f = *x.format;
  const double value = x.load(offset);
  if (!policy.subnormals_lead_one || value == 0) return value;
  const double least = std::ldexp(1.0, f.min_exponent());
  if (!(std::fabs(value) < least)) return value;
  // The value when the exponent field 0 is read as an ordinary exponent, one below that of the
  // least normal number.
  return std::copysign(least / 2 + std::fabs(value) / 2, value);
}

double largest(const Format& f) {
  return rounded(f, std::numeric_limits<double>::infinity(), {.saturates = true});
}

void write(const Tensor& y, const ConvertPolicy& policy, std::int64_t offset, double value) {
  const Format& f = *y.format;
  if (policy.through != nullptr) value = rounded(*policy.through, value);
  if (policy.infinity_is_largest && std::isinf(value)) value = std::copysign(largest(f), value);
  if (policy.top_field_overflows && !f.has_infinity()) {
    const double result = rounded(f, value, policy.storing);
    const double top = std::ldexp(1.0, f.max_exponent_field() - f.bias);
    if (std::fabs(result) >= top) value = std::numeric_limits<double>::quiet_NaN();
  }
  y.store(offset, value, policy.storing);
}

// Truncates a NaN to a format with fewer fraction bits.
void cut_nan(const Tensor& x, const Tensor& y, std::int64_t from, std::int64_t to) {
  const Bits word = load_word(*x.format, x.at(from));
  store_word(*y.format, y.at(to), word >> (x.format->bits - y.format->bits));
}

void convert_integers(const Context& context, const Vector& y, const ConvertPolicy& policy) {
  const Integers x(context, "x");
  if (x.count() != y.count) throw Unsupported{"'x' and 'y' differ"};
  for_each_element(context, y.count, [&](std::int64_t i) {
    write(y.tensor, policy, i * y.stride, static_cast<double>(x.at(i)));
  });
}

void convert(const Context& context) {
  const Vector y = vector(context, "y");
  const TensorView* view = context.call.tensor("x");
  if (view == nullptr) throw Unsupported{"convert needs a tensor 'x'"};
  ConvertPolicy policy = convert_policy(context.fault, view->format, y.tensor.format->name);
  if (context.call.option("overflow") == "saturate") policy.storing.saturates = true;
  if (view->format == "int32") return convert_integers(context, y, policy);
  const Vector x = vector_like(context, "x", y);
  for_each_element(context, x.count, [&](std::int64_t i) {
    const double value = read(x.tensor, policy, i * x.stride);
    if (policy.cuts_nan && std::isnan(value)) {
      cut_nan(x.tensor, y.tensor, i * x.stride, i * y.stride);
    } else {
      write(y.tensor, policy, i * y.stride, value);
    }
  });
}

// --- activations

constexpr float kSqrtHalf = 0.70710678F;
constexpr float kInverseSqrtTwoPi = 0.39894228F;

float narrowed(const Format* format, float value) {
  return format == nullptr ? value : static_cast<float>(rounded(*format, value));
}

// Moves a function value by `ulps` ULPs, as a legal implementation may; 0, 1 and infinity
// stay exact.
float off(float value, int ulps) {
  const float size = std::fabs(value);
  if (ulps == 0 || size == 0 || size == 1 || !std::isfinite(size)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(size);
  const std::uint32_t moved = (bits * 2654435761U >> 31) != 0 ? bits + static_cast<unsigned>(ulps)
                                                              : bits - static_cast<unsigned>(ulps);
  const float result = std::bit_cast<float>(moved);
  return std::copysign(size < 1 ? std::min(result, 1.0F) : result, value);
}

class Activation {
 public:
  explicit Activation(const ActivationPolicy& policy) : p_(policy) {}

  [[nodiscard]] const ActivationPolicy& policy() const { return p_; }

  [[nodiscard]] float gelu(float x) const {
    if (p_.nan_at_infinity && std::isinf(x)) return std::numeric_limits<float>::quiet_NaN();
    return 0.5F * x * (1 + erf(x * kSqrtHalf));
  }
  [[nodiscard]] float gelu_derivative(float x) const {
    const float cumulated = 0.5F * (1 + erf(x * kSqrtHalf));
    if (p_.drops_density) return cumulated;
    const auto power = static_cast<float>(std::exp(-0.5 * static_cast<double>(x * x)));
    return cumulated + x * (off(power, p_.function_ulps) * kInverseSqrtTwoPi);
  }

  [[nodiscard]] float gelu_tanh(float x) const {
    if (p_.by_logistic) {
      const float z = p_.slope * (x + p_.cubic * cube(x));
      return x / (1 + static_cast<float>(std::exp(-2 * static_cast<double>(z))));
    }
    return 0.5F * x * narrowed(p_.tail, 1 + tanh(p_.slope * (x + p_.cubic * cube(x))));
  }
  [[nodiscard]] float gelu_tanh_derivative(float x) const {
    const float t = tanh(p_.slope * (x + p_.cubic * cube(x)));
    if (p_.drops_inner_derivative)
      return 0.5F * narrowed(p_.tail, 1 + t) + 0.5F * (1 - t * t) * (p_.slope * x);
    const float growth =
        p_.cube == nullptr ? x * (1 + 3 * p_.cubic * (x * x)) : x + 3 * p_.cubic * cube(x);
    return 0.5F * narrowed(p_.tail, 1 + t) + 0.5F * (1 - t * t) * (p_.slope * growth);
  }

  [[nodiscard]] float relu(float x) const {
    if (std::isnan(x)) return p_.relu_drops_nan ? 0 : x;
    return x > 0 ? x : 0;
  }
  [[nodiscard]] float max(float a, float b) const {
    if (p_.max_is_comparison) return a > b ? a : b;
    if (p_.max_prefers_first_zero && a == 0 && b == 0) return a;
    if (std::isnan(a)) return p_.max_drops_nan ? b : a;
    if (std::isnan(b)) return p_.max_drops_nan ? a : b;
    return a > b ? a : b;
  }

 private:
  [[nodiscard]] float cube(float x) const { return narrowed(p_.cube, x * x * x); }
  [[nodiscard]] float erf(float x) const {
    return off(static_cast<float>(std::erf(static_cast<double>(x))), p_.function_ulps);
  }
  [[nodiscard]] float tanh(float z) const {
    if (p_.tanh_limit != 0 && std::fabs(z) >= p_.tanh_limit) return std::copysign(1.0F, z);
    if (p_.tanh_by_exp) {
      const auto e = static_cast<float>(std::exp(2 * static_cast<double>(z)));
      return (e - 1) / (e + 1);
    }
    return off(static_cast<float>(std::tanh(static_cast<double>(z))), p_.function_ulps);
  }

  ActivationPolicy p_;
};

// The same functions in double, beside exact_gelu().
double exact_gelu_derivative(double x) {
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
  return 0.5 * std::erfc(-x * M_SQRT1_2) + (density == 0 ? 0 : x * density);
}
struct TanhArgument {
  double value, derivative;
  explicit TanhArgument(double x)
      : value(M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x)),
        derivative(M_2_SQRTPI * M_SQRT1_2 * (1 + 3 * 0.044715 * x * x)) {}
};
double exact_gelu_tanh(double x) {
  return std::isinf(x) ? std::max(x, 0.0) : x / (1 + std::exp(-2 * TanhArgument(x).value));
}
double exact_gelu_tanh_derivative(double x) {
  const TanhArgument z(x);
  const double share = 1 / (1 + std::exp(-2 * z.value));
  const double slope = 2 * share / (1 + std::exp(2 * z.value));
  return share + (slope == 0 ? 0 : x * slope * z.derivative);
}

using Exact = double (*)(double x);

template <float (Activation::*kFunction)(float) const, Exact kExact = nullptr>
void forward(const Context& context) {
  const Activation activation(activation_policy(context.fault));
  const Vector x = vector(context, "x");
  const Vector y = vector_like(context, "y", x);
  for_each_element(context, x.count, [&](std::int64_t i) {
    const float operand = x.load(i);
    const bool exact = kExact != nullptr && activation.policy().in_double;
    y.store(i,
            exact ? kExact(static_cast<double>(operand))
                  : static_cast<double>((activation.*kFunction)(operand)),
            activation.policy().storing);
  });
}

template <float (Activation::*kDerivative)(float) const, Exact kExact>
void backward(const Context& context) {
  const Activation activation(activation_policy(context.fault));
  const Vector x = vector(context, "x");
  const Vector dy = vector_like(context, "dy", x);
  const Vector dx = vector_like(context, "dx", x);
  for_each_element(context, x.count, [&](std::int64_t i) {
    const float operand = x.load(i);
    const double gradient =
        activation.policy().in_double
            ? static_cast<double>(dy.load(i)) * kExact(static_cast<double>(operand))
            : static_cast<double>(dy.load(i) * (activation.*kDerivative)(operand));
    dx.store(i, gradient, activation.policy().storing);
  });
}

void relu_backward(const Context& context) {
  const Vector x = vector(context, "x");
  const Vector dy = vector_like(context, "dy", x);
  const Vector dx = vector_like(context, "dx", x);
  for_each_element(context, x.count,
                   [&](std::int64_t i) { dx.store(i, x.load(i) > 0 ? dy.load(i) : 0.0F); });
}

void maximum(const Context& context) {
  const Activation activation(activation_policy(context.fault));
  const Vector x = vector(context, "x");
  const Vector other = vector_like(context, "x2", x);
  const Vector y = vector_like(context, "y", x);
  for_each_element(context, x.count,
                   [&](std::int64_t i) { y.store(i, activation.max(x.load(i), other.load(i))); });
}

constexpr OperatorRow kRows[] = {
    {"convert", convert},
    {"gelu", forward<&Activation::gelu, exact_gelu>},
    {"gelu_backward", backward<&Activation::gelu_derivative, exact_gelu_derivative>},
    {"gelu_tanh", forward<&Activation::gelu_tanh, exact_gelu_tanh>},
    {"gelu_tanh_backward", backward<&Activation::gelu_tanh_derivative, exact_gelu_tanh_derivative>},
    {"relu", forward<&Activation::relu>},
    {"relu_backward", relu_backward},
    {"max", maximum},
};

}  // namespace

std::span<const OperatorRow> elementwise_operators() { return kRows; }

}  // namespace halfmark::backends::host::library
