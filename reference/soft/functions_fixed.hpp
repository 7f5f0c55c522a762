// SPDX-License-Identifier: Apache-2.0
// What the fast evaluations of functions_fast.cpp and functions_circular.cpp share: products and
// polynomials of 64-bit fractions, and the bounds that a significand with an error makes. Every
// product is cut, so it is too small by less than one unit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft::detail {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kOne = std::uint64_t{1} << 63;  // as a number in [1, 2)
inline constexpr int kSourceLimbs = kPrecisions[1];            // what tables are cut from

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

// c[0] + c[1] x + ... of fractions. Each step adds the cut of a product and that of a coefficient;
// as x < 1, the error is below twice the number of coefficients, and when x <= 1/4 below 3 units.
template <std::size_t kCount>
std::uint64_t horner(const std::array<std::uint64_t, kCount>& coefficients, std::uint64_t x) {
  std::uint64_t sum = coefficients[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) sum = coefficients[i] + multiply(sum, x);
  return sum;
}
// The same with alternating signs, coefficients falling.
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

// significand * 2^(exponent - 63), off by at most `error` units either way. What is cut off here
// stays inside the interval that an odd significand stands for.
inline Bounds around(bool negative, int exponent, std::uint64_t significand, std::uint64_t error) {
  const std::uint64_t room = ~significand;
  return {negative, normalised(exponent, significand - error),
          normalised(exponent, significand + (error < room ? error : room))};
}

}  // namespace halfmark::soft::detail
