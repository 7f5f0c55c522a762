// SPDX-License-Identifier: Apache-2.0
// From error analysis to enclosures: the values that an fp32 evaluation may have before its final
// rounding to the output format, as intervals of double. Rounding to nearest is monotone, so the
// allowed results lie between the rounded ends. Decides nothing about an operator.
//
// Assumptions: (1) the thread's arithmetic is IEEE 754 double, rounded to nearest
// (fast::FloatingPointScope); widened() covers its own errors of 2^-53 per operation; (2) values
// fit fp64.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "reference/fast/floating_point.hpp"
#include "reference/formats/tensor.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// The unit roundoff of fp32.
inline constexpr double kRoundoff = 0x1p-24;
/// A device may flush fp32 numbers below it inside a library function.
inline constexpr double kLeastNormal = 0x1p-126;

struct Interval {
  double low = 0, high = 0;

  [[nodiscard]] double middle() const {
    const bool is_wide = low < high && std::isfinite(low) && std::isfinite(high);
    return is_wide ? low + (high - low) / 2 : low;  // of two zeros, the sign is kept
  }
};

/// value -+ radius. A non-finite value gives itself at both ends; a NaN radius gives NaN.
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

/// Rounded to fp32.
[[nodiscard]] inline double single(double value) {
  return static_cast<double>(static_cast<float>(value));
}

/// Rounded to the format; null leaves the value unchanged.
[[nodiscard]] inline double through(const formats::Format* format, double value) {
  return format == nullptr ? value : value_of(*format, nearest(*format, value));
}

[[nodiscard]] inline Interval through(const formats::Format* format, const Interval& i) {
  return {through(format, i.low), through(format, i.high)};
}

/// How a number becomes an encoding; monotone.
using Store = formats::Bits (*)(const formats::Format& format, double value);

/// The enclosure of one bounded tensor: the roundings of all numbers in the interval element(i).
/// NaN in `low` means the value NaN.
template <typename Element>
[[nodiscard]] Enclosure enclosure_of(const std::string& tensor, const formats::Format& f,
                                     std::size_t count, Element element, Store store = nearest) {
  const fast::FloatingPointScope scope;
  formats::Tensor low = formats::Tensor::zeros(f, count);
  formats::Tensor high = formats::Tensor::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Interval interval = element(i);
    low.set(i, store(f, interval.low));
    high.set(i, store(f, interval.high));
  }
  Enclosure enclosure;
  enclosure.low.emplace(tensor, std::move(low));
  enclosure.high.emplace(tensor, std::move(high));
  return enclosure;
}

/// First-order error factor of an fp32 sum of n terms in any order (Higham, Accuracy and Stability
/// of Numerical Algorithms, 2nd edition, section 4.2).
[[nodiscard]] inline double sum_error(std::size_t terms) {
  return static_cast<double>(terms) * kRoundoff;
}

}  // namespace halfmark::suites
