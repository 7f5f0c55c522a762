// SPDX-License-Identifier: Apache-2.0
// How far fp32 evaluations of smooth activations may lie from their value: GELU in both forms, its
// gradients, and SiLU. Shared by the suite of activations and by products that end in one; gelu.cpp
// derives the radii. Decides nothing of what a suite asserts.
#pragma once

#include "suites/core/bounds/real.hpp"

namespace halfmark::suites {

enum class Gelu : std::uint8_t { kErf, kErfGradient, kTanh, kTanhGradient };

/// Of the form that is taken for GELU: D. Hendrycks, K. Gimpel, arXiv:1606.08415.
inline const Real kSigmoidFactor = Real(1702) / Real(1000);

/// Departures from GELU's formula; as it stands: none.
struct GeluDeparture {
  Real tanh_limit{};          // not 0: from this argument on tanh (erf) is 1
  Real exp_limit{};           // not 0: from this argument on exp overflows, and with it tanh
  bool cube_in_half = false;  // x^3 rounded to fp16
  bool tail_in_half = false;  // 1 + tanh rounded to fp16
  bool nan_at_infinity = false;
  const formats::Format* cubic_in = nullptr;     // 0.044715 is rounded to it
  const formats::Format* gradient_in = nullptr;  // the derivative is, before it is multiplied by dy
  bool no_second_term = false;                   // of the derivative
  bool no_three = false;                         // the derivative of the cube is its square
  bool sigmoid = false;                          // x / (1 + exp(-kSigmoidFactor x))
};

/// What fp32 evaluations of GELU (times dy for the gradient) may give before the one rounding at
/// the end.
[[nodiscard]] RealInterval gelu_interval(Gelu form, Real x, Real dy, const GeluDeparture& d);

/// The same of x / (1 + exp(-x)).
[[nodiscard]] RealInterval silu_interval(Real x);

/// What they may give of any number from low to high, of a form that is no gradient.
[[nodiscard]] RealInterval gelu_image(Gelu form, const RealInterval& x);
[[nodiscard]] RealInterval silu_image(const RealInterval& x);
[[nodiscard]] RealInterval gelu_sigmoid_image(const RealInterval& x);

}  // namespace halfmark::suites
