// SPDX-License-Identifier: Apache-2.0
// Enclosures of fp32 exponentials, their sums and the logarithms of those sums, shared by the
// operators built on them. suites/softmax/model.hpp derives the numbers and cites their sources.
#pragma once

#include <algorithm>
#include <cmath>

#include "suites/core/bounds/interval.hpp"

namespace halfmark::suites {

/// Relative error of exp(d) when d is a difference.
[[nodiscard]] inline double exp_error(double d) {
  return std::isfinite(d) ? (4 + 4 * std::abs(d)) * kRoundoff : 0;
}

/// Absolute error bound of (x - shift) - log(sum) and of x - (shift + log(sum)).
[[nodiscard]] inline double log_softmax_error(double x, double shift, const Interval& sum) {
  const double size = std::max(std::abs(std::log(sum.low)), std::abs(std::log(sum.high)));
  return kRoundoff * (2 * std::abs(x - shift) + std::abs(shift) + 7 * size);
}

[[nodiscard]] inline Interval log_softmax(double x, double shift, const Interval& sum) {
  const double d = x - shift;
  if (!std::isfinite(d) || !std::isfinite(sum.low) || sum.low <= 0) {
    const double value = d - std::log(sum.low);
    return {value, value};
  }
  const double off = widened(log_softmax_error(x, shift, sum)) + kLeastNormal;
  return {d - std::log(sum.high) - off, d - std::log(sum.low) + off};
}

}  // namespace halfmark::suites
