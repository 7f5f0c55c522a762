// SPDX-License-Identifier: Apache-2.0
// Shared by the fast evaluations in functions_*.cpp: parts of functions, products and polynomials
// of 64-bit fractions, and the bounds that follow from a significand and its error. Every product
// is truncated, so it is too small by less than one unit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft::detail {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kOne = std::uint64_t{1} << 63;  // 1.0 as a number in [1, 2)
inline constexpr int kSourceLimbs = kPrecisions[1];            // the precision from which the
                                                               // tables are truncated

inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b >> 64);
}

// The high half of a product of 128-bit words, too small by less than three units.
inline Wide multiply(Wide a, Wide b) {
  const auto a_high = static_cast<std::uint64_t>(a >> 64);
  const auto b_high = static_cast<std::uint64_t>(b >> 64);
  const Wide middle = (Wide{a_high} * static_cast<std::uint64_t>(b) >> 64) +
                      (Wide{static_cast<std::uint64_t>(a)} * b_high >> 64);
  return Wide{a_high} * b_high + middle;
}

// c[0] + c[1] x + ... of fractions. Each step adds the truncation errors of a product and of a
// coefficient. As x < 1, the error is below twice the number of coefficients; for x <= 1/4 it is
// below 3 units.
template <std::size_t kCount>
std::uint64_t horner(const std::array<std::uint64_t, kCount>& coefficients, std::uint64_t x) {
  std::uint64_t sum = coefficients[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = coefficients[i] + multiply(sum, x);
  return sum;
}
// The same with alternating signs and decreasing coefficients.
template <std::size_t kCount>
std::uint64_t horner_alternating(const std::array<std::uint64_t, kCount>& coefficients,
                                 std::uint64_t x) {
  std::uint64_t sum = coefficients[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = coefficients[i] - multiply(sum, x);
  return sum;
}

inline std::uint64_t cut(const Enclosure& x, int bits) {
  return static_cast<std::uint64_t>(x.low_scaled(bits));
}

inline Magnitude normalised(int exponent, std::uint64_t significand) {
  const int zeros = std::countl_zero(significand);
  return {exponent - zeros, significand << zeros >> 1 | 1};
}

// significand * 2^(exponent - 63), off by at most `error` units in either direction. The bits
// truncated here stay inside the interval that an odd significand stands for.
inline Bounds around(bool negative, int exponent, std::uint64_t significand, std::uint64_t error) {
  const std::uint64_t room = ~significand;
  return {negative, normalised(exponent, significand - error),
          normalised(exponent, significand + (error < room ? error : room))};
}

inline Wide shift_right(Wide word, int places) { return places > 127 ? 0 : word >> places; }

inline std::uint64_t divide(std::uint64_t numerator, std::uint64_t denominator) {  // * 2^63
  return static_cast<std::uint64_t>((Wide{numerator} << 63) / denominator);
}

inline constexpr int kPlaces = 23;  // below the leading one of x
inline std::uint64_t integer_of(const Value& x) { return x.significand >> (kLead - kPlaces); }

// significand * 2^(exponent - 63): a power of two, or a value computed from one
struct Power {
  int exponent;
  std::uint64_t significand;
};

// 2^t or 2^-t for t in units of 2^-64. If t is too small by less than two units, the result is off
// by less than kPowerError.
inline constexpr std::uint64_t kPowerError = 20;
Power power_of(Wide t, bool negated);

// |x| log2 e in units of 2^-64, too small by less than 1.01.
Wide binary_argument(const Value& x);

// y < 1 in units of 2^-63, truncated.
inline std::uint64_t fixed(const Power& y) {
  return y.exponent < -63 ? 0 : y.significand >> -y.exponent;
}

// x times a factor that is off by `error` units.
Bounds times_x(const Value& x, const Power& factor, std::uint64_t error);

// The p in e^u - 1 = u p, in units of 2^-63 and off by two of them, for u < 1/4 in units of 2^-64.
std::uint64_t exponential_slope(std::uint64_t u);

// 1 / sqrt(m) in units of 2^-63, off by less than ten, for m in [1, 4) in units of 2^-62.
std::uint64_t inverse_root(std::uint64_t m);

}  // namespace halfmark::soft::detail
