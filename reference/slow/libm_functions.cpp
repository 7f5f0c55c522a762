// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/libm_functions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace halfmark::slow {
namespace {

using mpfr::Function;

// Relative. The argument of erfc carries an error that its steepness, 2 t^2 < 200 where the result
// is normal, makes 2^-44; the exponent of e^-2z one that its size, below 90, makes 2^-45; all else
// is below 2^-48.
constexpr double kMargin = 0x1p-42;

double gelu_tanh(double x) {
  const double twice_z = 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-twice_z));
}

double estimate(Function function, double x) {
  switch (function) {
    case Function::kExp:
      return std::exp(x);
    case Function::kExp2:
      return std::exp2(x);
    case Function::kLog:
      return std::log(x);
    case Function::kLog2:
      return std::log2(x);
    case Function::kRsqrt:
      return 1 / std::sqrt(x);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kErf:
      return std::erf(x);
    case Function::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Function::kGelu:
      return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case Function::kGeluTanh:
      return gelu_tanh(x);
  }
  std::abort();
}

// No magnitude of the function reaches this, however close it comes.
double supremum(Function function, double x) {
  if (function == Function::kTanh || function == Function::kErf || function == Function::kSigmoid) {
    return 1;
  }
  const bool below_argument = function == Function::kGelu || function == Function::kGeluTanh;
  return below_argument && x > 0 ? x : std::numeric_limits<double>::infinity();
}

float floor_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
                         : nearest;
}

// The rounding of every number between two doubles, if it is one and inexact for all of them.
std::optional<float> round_between(double low, double high, soft::Rounding rounding) {
  const bool down =
      rounding == soft::Rounding::kDown || (rounding == soft::Rounding::kTowardZero && low > 0);
  if (rounding == soft::Rounding::kNearEven || rounding == soft::Rounding::kNearAway) {
    const auto nearest = static_cast<float>(low);
    const bool may_be_exact = nearest >= low && nearest <= high;
    if (may_be_exact || static_cast<float>(high) != nearest) return std::nullopt;
    return nearest;
  }
  const float below = floor_to_float(low);
  if (floor_to_float(high) != below || floor_to_float(high) == high) return std::nullopt;
  return down ? below : std::nextafter(below, std::numeric_limits<float>::infinity());
}

}  // namespace

std::optional<Result> libm_function(Function function, Bits fp32, soft::Rounding rounding) {
  const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(fp32));
  const double value = estimate(function, x);
  const double size = std::fabs(value);
  if (!(size > 0x1p-125 && size < 0x1p126)) return std::nullopt;
  const double low = size - size * kMargin;
  const double high = std::min(size + size * kMargin, std::nextafter(supremum(function, x), 0.0));
  const auto result =
      value > 0 ? round_between(low, high, rounding) : round_between(-high, -low, rounding);
  if (!result) return std::nullopt;
  return Result{std::bit_cast<std::uint32_t>(*result), soft::kInexact};
}

}  // namespace halfmark::slow
