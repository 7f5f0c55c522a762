// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any length, for exact values that people write and read: decimal numerals and
// exact results. Schoolbook methods, because no hot loop uses them.
//
// The naive twin has its own numbers (reference/slow/natural.hpp): the two share no code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace halfmark::soft {

class BigNatural {
 public:
  BigNatural() = default;
  explicit BigNatural(std::uint64_t value);

  [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
  [[nodiscard]] bool is_one() const { return limbs_.size() == 1 && limbs_[0] == 1; }
  [[nodiscard]] std::int64_t bit_length() const;
  // How many times two divides the number; 0 for zero.
  [[nodiscard]] std::int64_t trailing_zeros() const;
  // The lowest 64 bits.
  [[nodiscard]] std::uint64_t low_word() const;
  [[nodiscard]] std::string decimal() const;

  // this = this * factor + addend
  void multiply_add(std::uint32_t factor, std::uint32_t addend);
  // this = this / divisor; returns the remainder.
  std::uint32_t divide_by(std::uint32_t divisor);

  [[nodiscard]] BigNatural shifted_left(std::int64_t places) const;
  [[nodiscard]] BigNatural shifted_right(std::int64_t places) const;

  friend BigNatural operator+(const BigNatural& a, const BigNatural& b);
  friend BigNatural operator-(const BigNatural& a, const BigNatural& b);  // requires a >= b
  friend BigNatural operator*(const BigNatural& a, const BigNatural& b);
  // The sign of a - b: negative, zero or positive.
  friend int compare(const BigNatural& a, const BigNatural& b);

 private:
  [[nodiscard]] std::uint64_t limb(std::size_t i) const {
    return i < limbs_.size() ? limbs_[i] : 0;
  }
  void drop_leading_zeros();

  std::vector<std::uint32_t> limbs_;  // least significant first, the last one nonzero
};

[[nodiscard]] BigNatural power(std::uint32_t base, std::int64_t exponent);

struct Division {
  BigNatural quotient;
  BigNatural remainder;
};

// One step per bit of the quotient, so meant for short quotients. The divisor must not be zero.
[[nodiscard]] Division divide(const BigNatural& dividend, const BigNatural& divisor);

// The largest integer whose square does not exceed n.
[[nodiscard]] BigNatural integer_root(const BigNatural& n);

}  // namespace halfmark::soft
