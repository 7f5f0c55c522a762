// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers: the value of an encoding or a numeral, the unrounded result of an
// operation, and the distance of a rounded result from it. For the calculator and for parsing.
//
// This file decides no rounding: round() passes a significand with a sticky bit to soft/codec.hpp.
#pragma once

#include "reference/soft/big_natural.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::soft {

// +-(numerator / denominator) * 2^exponent, not reduced. A zero numerator means a zero of
// either sign.
struct ExactNumber {
  bool negative = false;
  BigNatural numerator;
  BigNatural denominator{1};
  std::int64_t exponent = 0;

  [[nodiscard]] bool is_zero() const { return numerator.is_zero(); }
};

// The value of a finite encoding.
[[nodiscard]] ExactNumber exact_number(const Format& f, Bits bits);
// 2^exponent.
[[nodiscard]] ExactNumber power_of_two(std::int64_t exponent);

[[nodiscard]] ExactNumber operator-(ExactNumber a);
[[nodiscard]] ExactNumber operator+(const ExactNumber& a, const ExactNumber& b);
[[nodiscard]] ExactNumber operator-(const ExactNumber& a, const ExactNumber& b);
[[nodiscard]] ExactNumber operator*(const ExactNumber& a, const ExactNumber& b);
[[nodiscard]] ExactNumber operator/(const ExactNumber& a, const ExactNumber& b);  // b must not
                                                                                  // be zero
// The sign of a - b: negative, zero or positive.
[[nodiscard]] int compare(const ExactNumber& a, const ExactNumber& b);

struct Root {
  ExactNumber value;  // the root, truncated to `bits` bits unless it is exact
  bool exact;
};
// x must not be negative.
[[nodiscard]] Root square_root(const ExactNumber& x, int bits);

[[nodiscard]] Result round(const Format& f, const ExactNumber& x, const Environment& env);

// The decimal digits of x: complete if `most_digits` significant digits suffice, else truncated and
// followed by three dots. Examples: "0.1", "1.5e-45", "0.333333...".
[[nodiscard]] std::string decimal(const ExactNumber& x, std::size_t most_digits);
// "0x1.8p+3", truncated to 16 hex digits of fraction, with three dots if that loses anything.
[[nodiscard]] std::string hex_float(const ExactNumber& x);

}  // namespace halfmark::soft
