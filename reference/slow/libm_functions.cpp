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

// The relative error where the result is at least 2^-200. In erfc(t) the steepness 2 t^2 < 280
// turns the argument's error into 2^-43.8; in e^-2z the size 2z < 143 turns it into 2^-42.8;
// everything else is below 2^-48.
constexpr double kMargin = 0x1p-42;

// Below this, the exact size of a result does not affect any fp32 rounding: half the smallest
// number is 2^-150. The estimate may have vanished, but is not off by half.
constexpr double kNegligible = 0x1p-200;

double gelu_tanh(double x) {
  const double twice_z = 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-twice_z));
}

// Computes from the exact distance of x to the nearest integer, and the cosine from the distance of
// that to a half, so that both are as accurate as the sine near zero.
double circular_of_pi(bool cosine, double x) {
  const double rest = x - std::round(x);
  const bool odd = std::fmod(std::round(x), 2) != 0;
  const double value = std::sin(M_PI * (cosine ? 0.5 - std::fabs(rest) : rest));
  return odd ? -value : value;
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
    case Function::kSin:
      return std::sin(x);
    case Function::kCos:
      return std::cos(x);
    case Function::kTan:
      return std::tan(x);
    case Function::kAsin:
      return std::asin(x);
    case Function::kAcos:
      return std::acos(x);
    case Function::kAtan:
      return std::atan(x);
    case Function::kSinh:
      return std::sinh(x);
    case Function::kCosh:
      return std::cosh(x);
    case Function::kExp10:
      return std::pow(10.0, x);
    case Function::kExpm1:
      return std::expm1(x);
    case Function::kLog10:
      return std::log10(x);
    case Function::kLog1p:
      return std::log1p(x);
    case Function::kCbrt:
      return std::cbrt(x);
    case Function::kErfc:
      return std::erfc(x);
    case Function::kSinpi:
      return circular_of_pi(false, x);
    case Function::kCospi:
      return circular_of_pi(true, x);
  }
  std::abort();
}

// The magnitude of a function lies strictly between these doubles, however close it comes to them.
struct Limits {
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
};

Limits limits(Function function, double x) {
  switch (function) {
    case Function::kExp:
    case Function::kExp2:
    case Function::kExp10:
      return x > 0 ? Limits{.below = 1} : Limits{.above = 1};
    case Function::kTanh:
    case Function::kSin:
      return {.above = std::min(std::fabs(x), 1.0)};
    case Function::kAtan:
      return {.above = std::fabs(x)};
    case Function::kAsin:
    case Function::kSinh:
      return {.below = std::fabs(x)};
    case Function::kTan:
      return std::fabs(x) < 1 ? Limits{.below = std::fabs(x)} : Limits{};
    case Function::kCosh:
      return {.below = 1};
    case Function::kExpm1:
      return x > 0 ? Limits{.below = x} : Limits{.above = std::min(-x, 1.0)};
    case Function::kLog1p:
      return x > 0 ? Limits{.above = x} : Limits{.below = -x};
    case Function::kErfc:
      return x > 0 ? Limits{.above = 1} : Limits{1, 2};
    case Function::kErf:
    case Function::kCos:
    case Function::kSinpi:
    case Function::kCospi:
      return {.above = 1};
    case Function::kSigmoid:
      return x > 0 ? Limits{0.5, 1} : Limits{.above = 0.5};
    case Function::kGelu:
    case Function::kGeluTanh:
      return x > 0 ? Limits{x / 2, x} : Limits{.above = -x / 2};
    case Function::kLog:
    case Function::kLog2:
    case Function::kLog10:
    case Function::kAcos:
    case Function::kCbrt:
    case Function::kRsqrt:
      return {};
  }
  std::abort();
}

// False where a function is special and where it is zero, that is, at 1; also where a function of
// pi x is exact.
bool may_be_estimated(Function function, double x, double value) {
  if (x == 0 || !std::isfinite(x) || std::isnan(value)) return false;
  const bool has_zero = function == Function::kLog || function == Function::kLog2 ||
                        function == Function::kLog10 || function == Function::kAcos;
  const bool of_pi = function == Function::kSinpi || function == Function::kCospi;
  return !(has_zero && x == 1) && !(of_pi && 2 * x == std::round(2 * x));
}

float floor_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
                         : nearest;
}

// The rounding of every number between two doubles, if it is the same and inexact for all of them.
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
  if (!may_be_estimated(function, x, value)) return std::nullopt;
  const double size = std::fabs(value);
  const Limits limit = limits(function, x);
  // No fp32 number and no midpoint of two lies strictly between neighbouring doubles.
  const double low = std::max(size < kNegligible ? 0 : size - size * kMargin,
                              std::nextafter(limit.below, limit.above));
  const double high = std::min(size < kNegligible ? 2 * kNegligible : size + size * kMargin,
                               std::nextafter(limit.above, limit.below));
  // A result is tiny if it stays below 2^-126 when rounded to 24 bits.
  const bool tiny = high < 0x1p-126 - 0x1p-150;
  if ((!tiny && low < 0x1p-126) || high > 0x1p126) return std::nullopt;
  const auto result = std::signbit(value) ? round_between(-high, -low, rounding)
                                          : round_between(low, high, rounding);
  if (!result) return std::nullopt;
  const unsigned flags = tiny ? soft::kInexact | soft::kUnderflow : unsigned{soft::kInexact};
  return Result{std::bit_cast<std::uint32_t>(*result), flags};
}

}  // namespace halfmark::slow
