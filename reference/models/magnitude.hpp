// SPDX-License-Identifier: Apache-2.0
// Magnitudes of sums and errors to some sixty bits, always rounded in the direction that keeps a
// bound valid. Used by the error analyses (error.cpp, unit_error.cpp) only; no reference result
// depends on it.
#pragma once

#include <bit>
#include <cstdint>

#include "reference/models/exact_sum.hpp"
#include "reference/models/vector.hpp"
#include "reference/soft/add_multiply.hpp"

namespace halfmark::models {

// A non-negative number: significand * 2^exponent. Functions that return one leave the top bit of
// the significand free.
struct Magnitude {
  std::uint64_t significand = 0;
  int exponent = 0;
};

// |sum| of a finite sum to 53 bits, rounded toward zero or, if `up`, away from it. No number is too
// small or too large for it.
[[nodiscard]] Magnitude magnitude(const ExactSum& sum, bool up);

// The exponent of a nonzero number.
[[nodiscard]] inline int exponent_of(const Magnitude& x) {
  return 63 - std::countl_zero(x.significand) + x.exponent;
}

[[nodiscard]] constexpr Magnitude scaled(Magnitude x, int exponent) {
  return {x.significand, x.exponent + exponent};
}

// At least x + y, to 62 bits.
[[nodiscard]] Magnitude sum_up(Magnitude x, Magnitude y);

// The smallest number of the format that is not below x; an infinity beyond its range.
[[nodiscard]] Bits number_above(const Format& format, const Magnitude& x);

inline constexpr std::uint64_t kBeyondWord = ~std::uint64_t{0};

// number * 2^shift in one word, truncated or rounded up; kBeyondWord if it does not fit.
[[nodiscard]] std::uint64_t shifted(soft::Wide number, int shift, bool up);

}  // namespace halfmark::models
