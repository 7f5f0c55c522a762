// SPDX-License-Identifier: Apache-2.0
// The naive twin's exact numbers and its rounding: it lists the two neighbours in the format, tests
// on which side of their midpoint (or of the stochastic point) the number lies, and chooses by the
// definition of the direction.
//
// It shares no code with reference/soft except the result types: where both add or round numbers in
// nearly the same words, that is deliberate, because a mistake in common code would pass the
// comparison of the two.
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

// The exponent of the smallest normal number.
[[nodiscard]] int least_exponent(const Format& f);

// The value of a finite encoding, from its fields.
[[nodiscard]] Exact exact_value(const Format& f, Bits bits);

// For numbers with denominator 1.
[[nodiscard]] Exact times(const Exact& a, const Exact& b);
[[nodiscard]] Exact plus(const Exact& a, const Exact& b);

// -1, 0 or 1 if integer * 2^exponent is below, at or above the magnitude of x.
[[nodiscard]] int compare_magnitude(const Natural& integer, int exponent, const Exact& x);

// Two neighbours in some grid, and x between them: lower <= x < lower + 1 place. `lower`, `middle`
// and `point` compare the lower neighbour, the midpoint and the stochastic point (below) with x.
struct Neighbours {
  int lower;
  int middle;
  int point;
  bool lower_is_even;
};
// integer * 2^exponent is the lower neighbour, 2^exponent the distance between the two. The
// stochastic point lies (1 - random / 2^random_bits) of that distance above the lower one. With
// discarded = (x - lower) / distance, x reaches the point if and only if discarded, truncated to
// random_bits places, plus random / 2^random_bits is at least one, because the point is itself a
// multiple of the last place kept.
[[nodiscard]] Neighbours compare_neighbours(const Natural& integer, int exponent, const Exact& x,
                                            const Environment& env);
// Whether the upper neighbour is chosen.
[[nodiscard]] bool choose_upper(const Neighbours& n, bool negative, soft::Rounding rounding);

// x in the format, with flags. x must not be zero.
[[nodiscard]] Result round_exact(const Format& f, const Exact& x, const Environment& env);

// The result of a format for NaNs, infinities and zeros.
[[nodiscard]] Result deliver_nan(const Format& f, bool invalid);
[[nodiscard]] Result deliver_infinity(const Format& f, bool negative, const Environment& env);
[[nodiscard]] Result deliver_zero(const Format& f, bool negative);

}  // namespace halfmark::slow
