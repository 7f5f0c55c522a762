// SPDX-License-Identifier: Apache-2.0
// Exact numbers of the naive twin, and its rounding: list the two neighbours in the format, look
// which side of their midpoint (or of the point that the random number names) the number lies on,
// and choose by the definition of the direction.
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

// Two neighbours in some grid, and x between them: lower <= x < lower + 1 place. `lower`, `middle`
// and `point` compare the lower one, the midpoint and the stochastic point (below) with x.
struct Neighbours {
  int lower;
  int middle;
  int point;
  bool lower_is_even;
};
// integer * 2^exponent is the lower neighbour, 2^exponent the distance of the two. The stochastic
// point lies (1 - random / 2^random_bits) of the distance above the lower one: with discarded =
// (x - lower) / distance, x reaches the point if and only if discarded, cut to random_bits places,
// plus random / 2^random_bits is at least one, because the point is itself a multiple of the last
// place kept.
[[nodiscard]] Neighbours compare_neighbours(const Natural& integer, int exponent, const Exact& x,
                                            const Environment& env);
// Whether the upper neighbour is chosen.
[[nodiscard]] bool choose_upper(const Neighbours& n, bool negative, soft::Rounding rounding);

// x in the format, with flags. x is not zero.
[[nodiscard]] Result round_exact(const Format& f, const Exact& x, const Environment& env);

// What a format delivers for values that are no nonzero finite numbers.
[[nodiscard]] Result deliver_nan(const Format& f, bool invalid);
[[nodiscard]] Result deliver_infinity(const Format& f, bool negative, const Environment& env);
[[nodiscard]] Result deliver_zero(const Format& f, bool negative);

}  // namespace halfmark::slow
