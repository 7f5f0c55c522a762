// SPDX-License-Identifier: Apache-2.0
// Numbers as exact fractions (GMP), and their rounding from the definitions, for twins whose
// exponents have no bound that could size an array of digits. Tests only.
//
// It decides nothing; overflow is an infinity in every direction, as in matrix units and as in IEEE
// 754 to nearest.
#pragma once

#include <gmpxx.h>

#include "reference/soft/environment.hpp"

namespace halfmark::slow {

using Rational = mpq_class;

// A number, infinity or NaN. A zero also has a sign.
struct Real {
  enum class Kind { kFinite, kInfinity, kNan };

  Kind kind = Kind::kFinite;
  bool negative = false;
  Rational value = 0;

  [[nodiscard]] bool is_nan() const { return kind == Kind::kNan; }
  [[nodiscard]] bool is_infinite() const { return kind == Kind::kInfinity; }
  [[nodiscard]] bool is_zero() const { return kind == Kind::kFinite && value == 0; }
};

[[nodiscard]] Rational power_of_two(int exponent);
// x must not be zero.
[[nodiscard]] int floor_log2(const Rational& x);
// x rounded to a multiple of 2^place in the given direction.
[[nodiscard]] Rational to_multiple(const Rational& x, int place, soft::Rounding rounding);

[[nodiscard]] Real real_of(const formats::Format& f, formats::Bits bits);
// Rounded to `fraction_bits` of precision with the exponents of f; a zero result has the sign of x.
[[nodiscard]] Real rounded(const formats::Format& f, int fraction_bits, const Real& x,
                           soft::Rounding rounding);
// x must be representable in f; NaNs become `nan`.
[[nodiscard]] formats::Bits encoding_of(const formats::Format& f, const Real& x, formats::Bits nan);

// IEEE 754 sums and products before rounding.
[[nodiscard]] Real exact_product(const Real& x, const Real& y);
[[nodiscard]] Real exact_sum(const Real& x, const Real& y);

}  // namespace halfmark::slow
