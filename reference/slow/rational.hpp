// SPDX-License-Identifier: Apache-2.0
// Numbers as exact fractions (GMP), and their rounding from the definitions: for twins whose
// exponents have no bound that an array of digits could be sized for. Test only.
//
// Decides nothing; overflow is an infinity in every direction, as matrix units have it and as IEEE
// 754 has it to nearest.
#pragma once

#include <gmpxx.h>

#include "reference/soft/environment.hpp"

namespace halfmark::slow {

using Rational = mpq_class;

// A number, infinity or NaN. A zero has a sign as well.
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
// Of a number that is not zero.
[[nodiscard]] int floor_log2(const Rational& x);
// x as a multiple of 2^place, in a direction.
[[nodiscard]] Rational to_multiple(const Rational& x, int place, soft::Rounding rounding);

[[nodiscard]] Real real_of(const formats::Format& f, formats::Bits bits);
// With `fraction_bits` of precision but the exponents of f; a zero result has the sign of x.
[[nodiscard]] Real rounded(const formats::Format& f, int fraction_bits, const Real& x,
                           soft::Rounding rounding);
// Of a number that f has; NaNs become `nan`.
[[nodiscard]] formats::Bits encoding_of(const formats::Format& f, const Real& x, formats::Bits nan);

// IEEE 754 sums and products before rounding.
[[nodiscard]] Real exact_product(const Real& x, const Real& y);
[[nodiscard]] Real exact_sum(const Real& x, const Real& y);

}  // namespace halfmark::slow
