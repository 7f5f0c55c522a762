// SPDX-License-Identifier: Apache-2.0
// How far fp32 evaluations of smooth activations may lie from the exact value: GELU in both forms,
// its gradients, and SiLU. Shared by the activation suite and by products with such an epilogue;
// gelu.cpp derives the radii. Decides nothing about what a suite asserts.
//
// Assumption: the thread's arithmetic is IEEE 754 double, rounded to nearest
// (fast::FloatingPointScope).
#pragma once

#include "suites/core/bounds/interval.hpp"

namespace halfmark::suites {

enum class Gelu : std::uint8_t { kErf, kErfGradient, kTanh, kTanhGradient };

/// The factor of the sigmoid approximation of GELU: D. Hendrycks, K. Gimpel, arXiv:1606.08415.
inline constexpr double kSigmoidFactor = 1.702;

/// Departures from GELU's formula; the defaults mean none.
struct GeluDeparture {
  double tanh_limit = 0;      // if not 0: tanh (erf) is 1 from this argument on
  double exp_limit = 0;       // if not 0: exp (and tanh) overflows from this argument on
  bool cube_in_half = false;  // x^3 rounded to fp16
  bool tail_in_half = false;  // 1 + tanh rounded to fp16
  bool nan_at_infinity = false;
  const formats::Format* cubic_in = nullptr;  // 0.044715 is rounded to it
  double cubic = 0;                           // if not 0: in place of 0.044715
  double slope = 0;  // if not 0: in place of the argument's factor, sqrt(2 / pi) or 1 / sqrt(2)
  const formats::Format* gradient_in = nullptr;  // format of the derivative before the product
  bool no_second_term = false;                   // the derivative lacks its second term
  bool no_inner = false;                         // nor the derivative of the argument
  bool no_growth = false;                        // the argument counts as linear
  bool no_three = false;                         // the derivative of the cube is its square
  double tanh_error = 0;                         // if not 0: tanh is off by up to this times itself
  double erf_error = 0;  // if not 0: erf is off by up to this, and the gradient a sum about 1/2
  bool sigmoid = false;  // x / (1 + exp(-kSigmoidFactor x))
};

/// What fp32 evaluations of GELU (times dy for the gradient) may return before the final rounding.
/// Of an infinite dy: the infinity of the derivative's sign, or, where the derivative may be zero,
/// everything from -infinity to infinity. A formula that adds two such products gives a NaN, which
/// is not in it.
[[nodiscard]] Interval gelu_interval(Gelu form, double x, double dy, const GeluDeparture& d);

/// The same for x / (1 + exp(-x)).
[[nodiscard]] Interval silu_interval(double x);

/// The image of all numbers in an interval; `form` must not be a gradient.
[[nodiscard]] Interval gelu_image(Gelu form, const Interval& x, const GeluDeparture& d = {});
[[nodiscard]] Interval silu_image(const Interval& x);
[[nodiscard]] Interval gelu_sigmoid_image(const Interval& x);

}  // namespace halfmark::suites
