// SPDX-License-Identifier: Apache-2.0
// Exact numbers of the naive twin, and its rounding: list the two neighbours in the format, look
// which side of their midpoint the number lies on, and choose by the definition of the direction.
//
// Shares no code with soft/codec.hpp beyond the result types.
#pragma once

#include "reference/slow/natural.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::slow {

using formats::Bits;
using formats::Format;
using soft::Environment;
using soft::Result;

// +-(numerator / denominator) * 2^exponent, or the square root of that magnitude.
struct Exact {
  bool negative = false;
  Natural numerator;
  Natural denominator{1};
  int exponent = 0;
  bool root = false;
};

// The value of a finite encoding, read off its fields.
[[nodiscard]] Exact exact_value(const Format& f, Bits bits);

// Of numbers with denominator 1.
[[nodiscard]] Exact times(const Exact& a, const Exact& b);
[[nodiscard]] Exact plus(const Exact& a, const Exact& b);

// -1, 0, 1 as integer * 2^exponent is below, at or above the magnitude of x.
[[nodiscard]] int compare_magnitude(const Natural& integer, int exponent, const Exact& x);

// Whether the upper of two neighbours of x is chosen. `middle` compares their midpoint with x,
// `lower` the lower one; the parity decides exact ties.
struct Neighbours {
  int lower;
  int middle;
  bool lower_is_even;
};
[[nodiscard]] bool choose_upper(const Neighbours& n, bool negative, soft::Rounding rounding);

// x in the format, with flags. x is not zero.
[[nodiscard]] Result round_exact(const Format& f, const Exact& x, const Environment& env);

}  // namespace halfmark::slow
