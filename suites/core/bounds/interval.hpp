// SPDX-License-Identifier: Apache-2.0
// From error analysis to enclosures: what an fp32 evaluation may have been before its one rounding
// to the output format, as intervals of double. Rounding to nearest is monotone, so the results
// allowed are those between the rounded ends. Decides nothing about an operator.
//
// Assumptions: (1) the thread's arithmetic is IEEE 754 double, rounded to nearest
// (fast::FloatingPointScope); its own errors, 2^-53 an operation, are covered by widened();
// (2) values fit fp64.
#pragma once

#include <cmath>
#include <vector>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites {

/// The unit roundoff of fp32.
inline constexpr double kRoundoff = 0x1p-24;
/// Below it a device may flush fp32 numbers inside a library function.
inline constexpr double kLeastNormal = 0x1p-126;

struct Interval {
  double low = 0, high = 0;

  [[nodiscard]] double middle() const {
    return std::isfinite(low) && std::isfinite(high) ? low + (high - low) / 2 : low;
  }
};

/// value -+ radius; a radius that is not a number leaves only what is not one.
[[nodiscard]] inline Interval around(double value, double radius) {
  if (!std::isfinite(value)) return {value, value};
  return {value - radius, value + radius};
}

/// Covers terms of second order and the errors of double: radii are first-order sums.
[[nodiscard]] inline double widened(double radius) { return radius * (1 + 0x1p-8); }

/// The encoding's value; exact for formats of at most 53 bits.
[[nodiscard]] double value_of(const formats::Format& format, formats::Bits bits);
/// Rounded to nearest even.
[[nodiscard]] formats::Bits nearest(const formats::Format& format, double value);

/// As fp32 keeps it.
[[nodiscard]] inline double single(double value) {
  return static_cast<double>(static_cast<float>(value));
}

/// As the format keeps it; null leaves it.
[[nodiscard]] inline double through(const formats::Format* format, double value) {
  return format == nullptr ? value : value_of(*format, nearest(*format, value));
}

[[nodiscard]] inline Interval through(const formats::Format* format, const Interval& i) {
  return {through(format, i.low), through(format, i.high)};
}

/// Numerators of fp32 errors of sums: n terms in any order (Higham, Accuracy and Stability of
/// Numerical Algorithms, 2nd edition, section 4.2).
[[nodiscard]] inline double sum_error(std::size_t terms) {
  return static_cast<double>(terms) * kRoundoff;
}

}  // namespace halfmark::suites
