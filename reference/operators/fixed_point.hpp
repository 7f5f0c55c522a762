// SPDX-License-Identifier: Apache-2.0
// Non-negative fixed-point numbers of any precision, and exp with a proven error bound, for
// deciding correctly rounded operators. It uses integers only and is deliberately simple and slow.
//
// Assumptions: (1) values stay below 2^192, which shift() checks; (2) both operands of an operation
// have the same number of fraction limbs; (3) subtraction never goes below zero.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace halfmark::operators {

class FixedPoint {
 public:
  static constexpr std::size_t kIntegerLimbs = 3;

  /// Zero, with 64 * fraction_limbs fraction bits.
  explicit FixedPoint(std::size_t fraction_limbs) : limbs_(fraction_limbs + kIntegerLimbs) {}
  /// integer * 2^place, exact as long as place >= -fraction_bits().
  FixedPoint(std::size_t fraction_limbs, std::uint64_t integer, int place);

  [[nodiscard]] std::size_t fraction_limbs() const { return limbs_.size() - kIntegerLimbs; }
  [[nodiscard]] int fraction_bits() const { return static_cast<int>(64 * fraction_limbs()); }
  [[nodiscard]] bool is_zero() const;
  /// The floor of the value, which must be below 2^63.
  [[nodiscard]] std::uint64_t whole() const { return limbs_[fraction_limbs()]; }
  /// The position of the leading one: 0 for values in [1, 2). Meaningless for zero.
  [[nodiscard]] int exponent() const;

  FixedPoint& operator+=(const FixedPoint& other);
  FixedPoint& operator-=(const FixedPoint& other);
  /// All of these truncate what does not fit in the fraction.
  [[nodiscard]] FixedPoint times(const FixedPoint& other) const;
  FixedPoint& divide(std::uint64_t divisor);
  /// Times 2^places, positive or negative. Ends the program if the value leaves the range.
  FixedPoint& shift(int places);

  friend std::strong_ordering operator<=>(const FixedPoint& a, const FixedPoint& b);
  friend bool operator==(const FixedPoint& a, const FixedPoint& b) { return a.limbs_ == b.limbs_; }

 private:
  std::vector<std::uint64_t> limbs_;  // least significant first
};

/// ln 2, too small by less than 2^10 last places; at most 16 fraction limbs.
[[nodiscard]] FixedPoint ln2(std::size_t fraction_limbs);

/// exp(x), or exp(-x) if `negated`. x < 2^14, and x < 100 unless `negated`. The error is below
/// 2^kExpErrorBits last places times max(1, exp(x)), in either direction.
inline constexpr int kExpErrorBits = 30;
[[nodiscard]] FixedPoint exp(const FixedPoint& x, bool negated);

}  // namespace halfmark::operators
