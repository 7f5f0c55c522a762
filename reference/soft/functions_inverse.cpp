// SPDX-License-Identifier: Apache-2.0
// Both evaluations of asin, acos, atan and atan2: the angle of a point (b, a) whose sides are |x|
// and sqrt(1 - x^2), or |x| and 1, or both operands. The code computes atan of the smaller side
// over the greater, measured from the nearer axis, so that nothing cancels (J.-M. Muller,
// Elementary Functions, 3rd ed., chapter 11).
#include <algorithm>

#include "reference/soft/functions_fixed.hpp"
#include "reference/soft/functions_series.hpp"

namespace halfmark::soft::detail {
namespace {

// Quadrants plus or minus an angle of at most pi/4.
struct Fold {
  unsigned quadrants;
  bool minus;
};

// The angle, or pi minus it if `mirrored`. Its opposite side is the smaller one, or the greater one
// if `steep`.
Fold fold_of(bool steep, bool mirrored) {
  if (steep) return {1, !mirrored};
  return mirrored ? Fold{2, true} : Fold{0, false};
}

// --- in fixed point ------------------------------------------------------------------------------

constexpr std::size_t kTerms = 8;
constexpr int kCells = 16;

struct Tables {
  Tables();

  std::array<std::uint64_t, kTerms> terms;      // 1 / (2n + 3)
  std::array<std::uint64_t, kCells + 1> cells;  // atan(i / 16)
  std::uint64_t half_pi;                        // in [1, 2), * 2^62
};

// The sum of (-1)^k t^(2k+1) / (2k+1), t < 1/2. The tail has the sign of its first term and
// is smaller.
Enclosure arctangent_series(const Enclosure& t) {
  const Enclosure square = t * t;
  Enclosure power = t;
  Enclosure sums[2] = {t, number(t, 0)};
  for (std::uint64_t k = 1; !power.is_last_place(); ++k) {
    power = power * square;
    sums[k % 2] = sums[k % 2] + power.divided_by(2 * k + 1);
  }
  return sums[0].widened(power) - sums[1].widened(power);
}

// atan t = 8 atan t''' with t' = t / (1 + sqrt(1 + t^2)).
Enclosure arctangent(Enclosure t) {
  constexpr int kHalvings = 3;
  const Enclosure one = number(t, 1);
  for (int i = 0; i < kHalvings; ++i) t = t / (one + (one + t * t).root());
  return arctangent_series(t).shifted(kHalvings);
}

Tables::Tables() {
  const Enclosure one(kSourceLimbs, 1);
  for (std::size_t n = 0; n < terms.size(); ++n) terms[n] = cut(one.divided_by(2 * n + 3), 64);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = cut(arctangent(Enclosure(kSourceLimbs, i, -4)), 64);
  }
  half_pi = cut(constants(kSourceLimbs).half_pi, 62);
}

const Tables& tables() {
  static const Tables kAll;
  return kAll;
}

// Sides are Powers with the leading bit of the significand set.
Power side_of(const Value& x) { return {x.exponent, x.significand << 1}; }
constexpr Power kUnitSide{0, kOne};

bool less(const Power& a, const Power& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

// sqrt(1 - x^2). The square has 48 bits and is exact from 2^-40 on, else truncated by less than
// 2^-126. The difference, at least 2^-24, is truncated to 64 bits. Its inverse root, at least 2^62,
// is off by 10; multiplied by m in [1, 4), and with both truncations, this is less than 64 units of
// a significand.
Power other_side(const Value& x) {
  const Wide square = Wide{integer_of(x)} * integer_of(x);
  const int up = 126 - 2 * kPlaces + 2 * x.exponent;
  const Wide rest = (Wide{1} << 126) - (up >= 0 ? square << up : shift_right(square, -up));
  const auto high = static_cast<std::uint64_t>(rest >> 64);
  const int zeros = std::countl_zero(high);
  const int odd = zeros % 2;
  const auto m = static_cast<std::uint64_t>(rest << zeros >> 64) >> odd;  // times 2^(odd - zeros)
  std::uint64_t root = multiply(m, inverse_root(m));                      // in units of 2^-61
  root = std::clamp(root, std::uint64_t{1} << 61, (std::uint64_t{1} << 62) - 1);
  return {(odd - zeros) / 2, root << 2};
}

// z = quotient 2^(exponent - 63) < 1/32: z (1 - w (1/3 - w/5 + ...)) with w = z^2 < 2^-10 and 8
// terms; the tail is 2^-84. Relative to z, w is off by little and the sum by 3 units, times w;
// two truncations.
std::uint64_t small_arctangent(std::uint64_t quotient, int exponent) {
  const std::uint64_t z = static_cast<std::uint64_t>(shift_right(quotient, -exponent - 1));
  const std::uint64_t w = multiply(z, z);
  return quotient - multiply(quotient, multiply(w, horner_alternating(tables().terms, w)));
}

// atan q, as a fraction, for q from 1/32 to 1 in units of 2^-63: atan of the nearest sixteenth c
// plus atan of z = (q - c) / (1 + q c), |z| <= 1/32. q is truncated (2 units of 2^-64), and so are
// z, its series and the table.
std::uint64_t large_arctangent(std::uint64_t q) {
  const std::uint64_t cell = (q + (std::uint64_t{1} << 58)) >> 59;
  const std::uint64_t c = cell << 59;
  const std::uint64_t distance = q < c ? c - q : q - c;
  const Wide denominator = Wide{kOne} + (Wide{q} * cell >> 4);
  const auto z = static_cast<std::uint64_t>((Wide{distance} << 64) / denominator);
  const std::uint64_t w = multiply(z, z);
  const std::uint64_t part = z - multiply(z, multiply(w, horner_alternating(tables().terms, w)));
  return q < c ? tables().cells[cell] - part : tables().cells[cell] + part;
}

// The quotient of the sides is off by less than `error` units of their significands in relative
// terms: twice that in the quotient, which may be half as large, and no more in the angle.
Bounds angle(bool negative, const Power& opposite, const Power& adjacent, bool mirrored,
             std::uint64_t error) {
  const bool steep = less(adjacent, opposite);
  const Power& lesser = steep ? adjacent : opposite;
  const Power& greater = steep ? opposite : adjacent;
  const auto quotient =
      static_cast<std::uint64_t>((Wide{lesser.significand} << 63) / greater.significand);
  const int exponent = lesser.exponent - greater.exponent;
  const bool small = exponent < -5;
  const std::uint64_t arc =
      small ? small_arctangent(quotient, exponent)
            : large_arctangent(static_cast<std::uint64_t>(shift_right(quotient, -exponent)));
  const int scale = small ? exponent : -1;
  const std::uint64_t off = 2 * error + 10;
  const Fold fold = fold_of(steep, mirrored);
  if (fold.quadrants == 0) return around(negative, scale, arc, off);
  // In units of 2^-62; pi is truncated.
  const auto part = static_cast<std::uint64_t>(shift_right(arc, 1 - scale));
  const std::uint64_t whole = tables().half_pi * fold.quadrants;
  return around(negative, 1, fold.minus ? whole - part : whole + part, off);
}

constexpr std::uint64_t kSideError = 64;

// --- in enclosures -------------------------------------------------------------------------------

Scaled angle(bool negative, const Enclosure& opposite, const Enclosure& adjacent, bool steep,
             bool mirrored) {
  const Enclosure arc = arctangent(steep ? adjacent / opposite : opposite / adjacent);
  const Fold fold = fold_of(steep, mirrored);
  const Enclosure whole = constants(arc.fraction_limbs()).half_pi.times(fold.quadrants);
  if (fold.quadrants == 0) return {negative, arc, 0};
  return {negative, fold.minus ? whole - arc : whole + arc, 0};
}

Enclosure other_side(const Enclosure& x) { return (number(x, 1) - x * x).root(); }

// Compares x with about sqrt(1/2); near it, either side may count as the greater one.
bool is_greater_side(const Value& x) {
  return x.exponent == -1 && x.significand > (std::uint64_t{1} << kLead) / 5 * 7;
}

}  // namespace

Bounds fast_asin(const Value& x) {
  return angle(x.negative, side_of(x), other_side(x), false, kSideError);
}
Bounds fast_acos(const Value& x) {
  return angle(false, other_side(x), side_of(x), x.negative, kSideError);
}
Bounds fast_atan(const Value& x) { return angle(x.negative, side_of(x), kUnitSide, false, 0); }

Bounds fast_atan2(const Value& y, const Value& x) {
  return angle(y.negative, side_of(y), side_of(x), x.negative, 0);
}

Scaled wide_asin(const Value& x, int limbs) {
  const Enclosure size = argument(x, limbs);
  return angle(x.negative, size, other_side(size), is_greater_side(x), false);
}
Scaled wide_acos(const Value& x, int limbs) {
  const Enclosure size = argument(x, limbs);
  return angle(false, other_side(size), size, !is_greater_side(x), x.negative);
}
Scaled wide_atan(const Value& x, int limbs) {
  return angle(x.negative, argument(x, limbs), Enclosure(limbs, 1), x.exponent >= 0, false);
}

// Both sides in units of the greater side's binade.
Scaled wide_atan2(const Value& y, const Value& x, int limbs) {
  const int binade = std::max(y.exponent, x.exponent);
  const Enclosure opposite(limbs, y.significand, y.exponent - binade - kLead);
  const Enclosure adjacent(limbs, x.significand, x.exponent - binade - kLead);
  return angle(y.negative, opposite, adjacent, less(side_of(x), side_of(y)), x.negative);
}

}  // namespace halfmark::soft::detail
