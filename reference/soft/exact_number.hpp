// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers: what an encoding or a numeral is worth, what an operation would give
// without rounding, and how far a rounded result lies from it. For the calculator and for parsing.
//
// Decides no rounding: round() hands a significand with a sticky bit to soft/codec.hpp.
#pragma once

#include "reference/soft/big_natural.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::soft {

// +-(numerator / denominator) * 2^exponent; not reduced. A zero numerator is a zero of either sign.
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
[[nodiscard]] ExactNumber operator/(const ExactNumber& a, const ExactNumber& b);  // b is not zero
// Negative, zero or positive, as a - b is.
[[nodiscard]] int compare(const ExactNumber& a, const ExactNumber& b);

struct Root {
  ExactNumber value;  // the root itself, or the root cut after `bits` bits
  bool exact;
};
// x is not negative.
[[nodiscard]] Root square_root(const ExactNumber& x, int bits);

[[nodiscard]] Result round(const Format& f, const ExactNumber& x, const Environment& env);

// In decimal, whole where that takes at most `most_digits` significant digits; else cut there, with
// three dots: "0.1", "1.5e-45", "0.333333...".
[[nodiscard]] std::string decimal(const ExactNumber& x, std::size_t most_digits);
// "0x1.8p+3", cut to 16 hex digits of fraction, with three dots where that loses something.
[[nodiscard]] std::string hex_float(const ExactNumber& x);

}  // namespace halfmark::soft
