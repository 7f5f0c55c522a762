// SPDX-License-Identifier: Apache-2.0
// Non-negative intervals in fixed point with outward rounding (R. E. Moore, Interval Analysis,
// 1966). Every operation rounds the low end down and the high end up, so an enclosure always
// contains the true value and its width is the whole error analysis. It uses integers only and is
// deliberately simple and slow.
//
// This file does not decide how many bits are enough: the caller checks the width and repeats
// with more.
//
// Assumptions: (1) values stay below 2^192; (2) both operands of an operation have the same number
// of fraction limbs, at most kMaxFractionLimbs; (3) a true difference is not negative.
#pragma once

#include <array>
#include <cstdint>

namespace halfmark::soft {

// One end: limbs of 64 bits, least significant first. Limbs beyond an enclosure's size are zero.
inline constexpr int kIntegerLimbs = 3;
inline constexpr int kMaxFractionLimbs = 12;
inline constexpr int kMaxLimbs = kIntegerLimbs + kMaxFractionLimbs;
using Limbs = std::array<std::uint64_t, kMaxLimbs>;

// An end as a number: significand * 2^(exponent - 62), the leading one at bit 62, truncated; `rest`
// says whether truncation lost anything. A significand of 0 means zero.
struct Leading {
  int exponent;
  std::uint64_t significand;
  bool rest;
};

class Enclosure {
 public:
  // integer * 2^place, rounded outward where the fraction is too short for it.
  Enclosure(int fraction_limbs, std::uint64_t integer, int place = 0);

  [[nodiscard]] int fraction_limbs() const { return fraction_limbs_; }
  [[nodiscard]] Leading low() const { return leading(low_); }
  [[nodiscard]] Leading high() const { return leading(high_); }
  // The floor of an end, which must be below 2^64.
  [[nodiscard]] std::uint64_t low_floor() const { return low_[point()]; }
  [[nodiscard]] std::uint64_t high_floor() const { return high_[point()]; }
  // floor(low end * 2^bits), which must be below 2^128; bits is at most the number of
  // fraction bits.
  __extension__ [[nodiscard]] unsigned __int128 low_scaled(int bits) const;
  // At most one unit in the last place: where a convergent series stops.
  [[nodiscard]] bool is_last_place() const;

  [[nodiscard]] Enclosure shifted(int places) const;  // times 2^places
  [[nodiscard]] Enclosure times(std::uint64_t factor) const;
  [[nodiscard]] Enclosure divided_by(std::uint64_t divisor) const;
  [[nodiscard]] Enclosure root() const;
  // The fractional part; both ends must have the same integer part.
  [[nodiscard]] Enclosure fraction() const;
  // Also contains the values up to `more` above.
  [[nodiscard]] Enclosure widened(const Enclosure& more) const;

  friend Enclosure operator+(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator-(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator*(const Enclosure& a, const Enclosure& b);
  friend Enclosure operator/(const Enclosure& a, const Enclosure& b);

 private:
  [[nodiscard]] std::size_t point() const { return static_cast<std::size_t>(fraction_limbs_); }
  [[nodiscard]] int size() const { return fraction_limbs_ + kIntegerLimbs; }
  [[nodiscard]] Leading leading(const Limbs& end) const;

  int fraction_limbs_;
  Limbs low_{};
  Limbs high_{};
};

}  // namespace halfmark::soft
