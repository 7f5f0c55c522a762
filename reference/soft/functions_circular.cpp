// SPDX-License-Identifier: Apache-2.0
// Both evaluations of sine, cosine and tangent. The argument reduction uses as many bits of 2/pi as
// it needs (M. Payne and R. Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter
// 18, 1983): it drops whole periods of |x| 2/pi before multiplying, so the fraction of a quadrant
// is as exact for 2^127 as for 1. Then come the Taylor series, whose terms alternate and decrease:
// the tail has the sign of its first term and is smaller.
//
// For multiples of pi (sinpi, cospi) the reduction is exact: the angle in quadrants is twice
// the operand.
//
// Assumption: no fp32 number is closer to a multiple of pi/2 than 2^-32 of a quadrant (the closest,
// found by continued fractions, is 0x6f79be45 with 2^-29.8). If that were false, the bounds would
// only be too wide to decide a result.
#include "reference/soft/functions_fixed.hpp"
#include "reference/soft/functions_series.hpp"

namespace halfmark::soft::detail {
namespace {

enum class Circular : std::uint8_t { kSine, kCosine };

// Which function of an angle of at most pi/4 remains, and its sign. In the upper half of a quadrant
// that angle is the complement.
struct Octant {
  Circular function;
  bool negative;
};

Octant octant_of(Circular function, bool negative, unsigned quadrant, bool upper_half) {
  const bool is_sine = (function == Circular::kSine) == (quadrant % 2 == 0);
  // sin is negative from quadrant 2 on, cos in quadrants 1 and 2; the sine is odd.
  const bool flipped =
      function == Circular::kSine ? (quadrant >= 2) != negative : quadrant == 1 || quadrant == 2;
  return {is_sine != upper_half ? Circular::kSine : Circular::kCosine, flipped};
}

// --- in fixed point ------------------------------------------------------------------------------

constexpr std::size_t kTerms = 10;

struct Tables {
  Tables();

  // 2/pi after two zero words, most significant word first.
  std::array<std::uint64_t, 6> two_over_pi{};
  std::array<std::uint64_t, kTerms> sine;    // 1 / (2n + 3)!
  std::array<std::uint64_t, kTerms> cosine;  // 1 / (2n + 2)!
  std::uint64_t half_pi;                     // in [1, 2)
};

Tables::Tables() {
  const Constants& known = constants(kSourceLimbs);
  Enclosure rest = known.two_over_pi;
  for (std::size_t i = 2; i < two_over_pi.size(); ++i) {
    rest = rest.shifted(64);
    two_over_pi[i] = rest.low_floor();
    rest = rest.fraction();
  }
  Enclosure factorial(kSourceLimbs, 1);
  for (std::size_t n = 0; n < kTerms; ++n) {
    factorial = factorial.divided_by(2 * n + 2);
    cosine[n] = cut(factorial, 64);
    factorial = factorial.divided_by(2 * n + 3);
    sine[n] = cut(factorial, 64);
  }
  half_pi = cut(known.half_pi, 63);
}

const Tables& tables() {
  static const Tables kAll;
  return kAll;
}

// floor(2/pi 2^places) modulo 2^128, for places from 0 to 255.
Wide leading_places(int places) {
  const auto& words = tables().two_over_pi;
  const auto first = static_cast<std::size_t>(places) / 64;
  const int shift = places % 64;
  const Wide high = Wide{words[first]} << 64 | words[first + 1];
  return shift == 0 ? high : high << shift | words[first + 2] >> (64 - shift);
}

constexpr int kAngleUnits = 126;  // one unit is 2^-126 of a quadrant, so 2^128 units are the
                                  // full circle

std::uint64_t shifted(std::uint64_t word, int places) { return places > 63 ? 0 : word >> places; }

// The angle r 2^(exponent - 63), between 2^(exponent - 1) and 2^(exponent + 1) and at most pi/4,
// and w = r^2 < 0.617, too small by less than 15 units of 2^-64.
struct Angle {
  int exponent;
  std::uint64_t r;
  std::uint64_t w;
};

Angle angle_of(int exponent, std::uint64_t r) {
  const std::uint64_t square = multiply(r, r);  // in units of 2^(2 exponent - 62)
  const int places = -2 * exponent - 2;
  return {exponent, r, places < 0 ? square << 2 : shifted(square, places)};
}

// r (1 - w T) for the sine with T = 1/6 - ..., 1 - w T for the cosine with T = 1/2 - .... Each of
// the ten steps of T adds two units, times w: less than 6 in all. w T is off by 15/2 + 6 w + 1 < 13
// units. The first term left out is below 2^-72.
constexpr std::uint64_t kSineError = 20;
constexpr std::uint64_t kCosineError = 8;
Power sine_of(const Angle& a) {
  return {a.exponent, a.r - multiply(a.r, multiply(a.w, horner_alternating(tables().sine, a.w)))};
}
Power cosine_of(const Angle& a) {
  return {0, kOne - (multiply(a.w, horner_alternating(tables().cosine, a.w)) >> 1)};
}

// t = |x| 2/pi modulo 4, too small by less than 2^24 units of 2^-126, as the integer |x| is below
// 2^24. At least 2^-32 of a quadrant remains, so its leading 64 bits are off by less than two
// units: one from truncation, and 2^24 units in a total of at least 2^-30. Multiplying by the
// truncated pi/2 and truncating again leaves r off by less than four.
struct Turn {
  unsigned quadrant;
  bool upper_half;
  Angle angle;  // from the nearer axis
};

Turn turn_from(Wide turn) {
  const auto quadrant = static_cast<unsigned>(turn >> kAngleUnits);
  Wide angle = turn << 2 >> 2;
  const bool upper_half = (angle >> (kAngleUnits - 1)) != 0;
  if (upper_half) angle = (Wide{1} << kAngleUnits) - angle;
  const auto high = static_cast<std::uint64_t>(angle >> 64);
  const int zeros = high == 0 ? 64 : std::countl_zero(high);  // at least two
  const auto leading = static_cast<std::uint64_t>(angle << zeros >> 64);
  return {quadrant, upper_half, angle_of(2 - zeros, multiply(leading, tables().half_pi))};
}

Turn turn_of(const Value& x) {
  return turn_from(leading_places(x.exponent - kPlaces + kAngleUnits) * integer_of(x));
}

// 2 |x| quadrants, for x from 2^-30 to 2^23.
Turn turn_of_pi(const Value& x) {
  return turn_from(Wide{integer_of(x)} << (x.exponent - kPlaces + 1 + kAngleUnits));
}

Bounds fast(Circular function, const Value& x, const Turn& turn) {
  const Octant octant = octant_of(function, x.negative, turn.quadrant, turn.upper_half);
  const bool is_sine = octant.function == Circular::kSine;
  const Power y = is_sine ? sine_of(turn.angle) : cosine_of(turn.angle);
  return around(octant.negative, y.exponent, y.significand, is_sine ? kSineError : kCosineError);
}

// In odd quadrants and in upper halves, but not where both hold, the result is the cotangent of
// the angle.
bool is_inverted(unsigned quadrant, bool upper_half) { return (quadrant % 2 != 0) != upper_half; }
bool is_falling(unsigned quadrant, bool negative) { return (quadrant % 2 != 0) != negative; }

Power leading(const Power& y) {
  const int zeros = std::countl_zero(y.significand);
  return {y.exponent - zeros, y.significand << zeros};
}

// --- in enclosures -------------------------------------------------------------------------------

// The sum of (-1)^n w^n / (first (first + 1) ... (first + 2n - 1)).
Enclosure series(const Enclosure& w, std::uint64_t first) {
  Enclosure term(w.fraction_limbs(), 1);
  Enclosure sums[2] = {term, Enclosure(w.fraction_limbs(), 0)};
  for (std::uint64_t n = 1; !term.is_last_place(); ++n) {
    const std::uint64_t k = first + 2 * n - 2;
    term = (term * w).divided_by(k * (k + 1));
    sums[n % 2] = sums[n % 2] + term;
  }
  return sums[0].widened(term) - sums[1].widened(term);
}

struct WideTurn {
  unsigned quadrant;
  bool upper_half;
  Enclosure angle;
};

// t modulo 4: shifts right by two places, drops the integer part, and shifts back.
Enclosure modulo_circle(const Enclosure& t) { return t.shifted(-2).fraction().shifted(2); }

WideTurn turn_from(const Enclosure& turn) {
  const auto quadrant = static_cast<unsigned>(turn.low_floor());
  const Enclosure fraction = turn.fraction();
  const bool upper_half = fraction.shifted(1).low_floor() != 0;
  const Enclosure& half_pi = constants(turn.fraction_limbs()).half_pi;
  return {quadrant, upper_half, (upper_half ? number(turn, 1) - fraction : fraction) * half_pi};
}

WideTurn turn_of(const Value& x, int limbs) {
  const Enclosure& two_over_pi = constants(limbs).two_over_pi;
  const Enclosure unit = modulo_circle(two_over_pi.shifted(x.exponent - kPlaces));
  return turn_from(modulo_circle(unit.times(integer_of(x))));
}

Enclosure sine_of(const Enclosure& angle) { return angle * series(angle * angle, 2); }
Enclosure cosine_of(const Enclosure& angle) { return series(angle * angle, 1); }

Scaled wide(Circular function, const Value& x, const WideTurn& turn) {
  const Octant octant = octant_of(function, x.negative, turn.quadrant, turn.upper_half);
  const bool is_sine = octant.function == Circular::kSine;
  return {octant.negative, is_sine ? sine_of(turn.angle) : cosine_of(turn.angle), 0};
}

}  // namespace

Bounds fast_sin(const Value& x) { return fast(Circular::kSine, x, turn_of(x)); }
Bounds fast_cos(const Value& x) { return fast(Circular::kCosine, x, turn_of(x)); }

// Below 2^-30 the result is pi x, off by less than 2^-59 of it: 16 units, plus the truncation of pi
// and of the product.
Bounds fast_sinpi(const Value& x) {
  if (x.exponent >= -30) return fast(Circular::kSine, x, turn_of_pi(x));
  const std::uint64_t product = multiply(x.significand << 1, tables().half_pi);
  return around(x.negative, x.exponent + 2, product, 20);
}
Bounds fast_cospi(const Value& x) { return fast(Circular::kCosine, x, turn_of_pi(x)); }

// In relative terms, the sine is off by 20 units of at least 2^61.8 and the cosine by 8 units of at
// least 2^62.4; so the quotient, which is below 2^64, is off by less than 92 + 24 + 1.
Bounds fast_tan(const Value& x) {
  const Turn turn = turn_of(x);
  const Power sine = leading(sine_of(turn.angle));
  const Power cosine = leading(cosine_of(turn.angle));
  const bool inverted = is_inverted(turn.quadrant, turn.upper_half);
  const Power& above = inverted ? cosine : sine;
  const Power& below = inverted ? sine : cosine;
  const auto quotient =
      static_cast<std::uint64_t>((Wide{above.significand} << 63) / below.significand);
  return around(is_falling(turn.quadrant, x.negative), above.exponent - below.exponent, quotient,
                120);
}

Scaled wide_sin(const Value& x, int limbs) { return wide(Circular::kSine, x, turn_of(x, limbs)); }
Scaled wide_cos(const Value& x, int limbs) { return wide(Circular::kCosine, x, turn_of(x, limbs)); }

Scaled wide_sinpi(const Value& x, int limbs) {
  return wide(Circular::kSine, x, turn_from(modulo_circle(argument(x, limbs).shifted(1))));
}
Scaled wide_cospi(const Value& x, int limbs) {
  return wide(Circular::kCosine, x, turn_from(modulo_circle(argument(x, limbs).shifted(1))));
}

Scaled wide_tan(const Value& x, int limbs) {
  const WideTurn turn = turn_of(x, limbs);
  const Enclosure sine = sine_of(turn.angle);
  const Enclosure cosine = cosine_of(turn.angle);
  const bool negative = is_falling(turn.quadrant, x.negative);
  if (is_inverted(turn.quadrant, turn.upper_half)) return {negative, cosine / sine, 0};
  return {negative, sine / cosine, 0};
}

}  // namespace halfmark::soft::detail
