// SPDX-License-Identifier: Apache-2.0
// The functions in enclosures. Rounding errors need no argument here; only the tail of each series
// does, and a comment where the series is cut bounds it. Series and reductions are the usual ones
// (J.-M. Muller, Elementary Functions, 3rd ed., chapters 4, 10, 11); erf uses its series of
// positive terms (NIST DLMF 7.6.2), which does not cancel.
#include <tuple>

#include "reference/soft/functions_series.hpp"

namespace halfmark::soft::detail {

// The sum of s^(2k+1) / (2k+1). The tail is below s^(2K+1) / ((2K+1)(1 - s^2)), less than the
// last power.
Enclosure atanh(const Enclosure& s) {
  const Enclosure square = s * s;
  Enclosure power = s;
  Enclosure sum = s;
  for (std::uint64_t k = 3; !power.is_last_place(); k += 2) {
    power = power * square;
    sum = sum + power.divided_by(k);
  }
  return sum.widened(power);
}

namespace {

// atan(1/n): the alternating series. The tail has the sign of its first term and is smaller.
Enclosure atan_inverse(int fraction_limbs, std::uint64_t n) {
  Enclosure power = Enclosure(fraction_limbs, 1).divided_by(n);
  Enclosure sums[2] = {power, Enclosure(fraction_limbs, 0)};
  for (std::uint64_t k = 1; !power.is_last_place(); ++k) {
    power = power.divided_by(n * n);
    sums[k % 2] = sums[k % 2] + power.divided_by(2 * k + 1);
  }
  return sums[0].widened(power) - sums[1].widened(power);
}

Constants make_constants(int limbs) {
  const Enclosure one(limbs, 1);
  const Enclosure ln2 = atanh(one.divided_by(3)).shifted(1);  // 2 = (1 + 1/3) / (1 - 1/3)
  // Machin: pi/4 = 4 atan(1/5) - atan(1/239).
  const Enclosure ln10 = ln2.times(3) + atanh(one.divided_by(9)).shifted(1);  // 10 = 8 * 5/4
  const Enclosure pi = (atan_inverse(limbs, 5).shifted(2) - atan_inverse(limbs, 239)).shifted(2);
  return {.ln2 = ln2,
          .log2e = one / ln2,
          .two_over_root_pi = number(one, 2) / pi.root(),
          .root_half = one.shifted(-1).root(),
          .gelu_slope = (number(one, 8) / pi).root(),
          .half_pi = pi.shifted(-1),
          .two_over_pi = number(one, 2) / pi,
          .log2_10 = ln10 / ln2,
          .log10_2 = ln2 / ln10,
          .log10e = one / ln10};
}

// exp(r), r < 3/4. From the second term on, each is less than half of the one before it, so the
// tail is below the last term.
Enclosure exp_series(const Enclosure& r) {
  Enclosure term = number(r, 1);
  Enclosure sum = term;
  for (std::uint64_t k = 1; !term.is_last_place(); ++k) {
    term = (term * r).divided_by(k);
    sum = sum + term;
  }
  return sum.widened(term);
}

// erf(t) / t = 2/sqrt(pi) e^(-t^2) sum of (2 t^2)^n / (1 3 5 ... (2n+1)). The series is cut where
// the ratio of terms has fallen below one half, so the tail is below the last term.
Enclosure erf_quotient(const Enclosure& t) {
  const Enclosure square = t * t;
  const Enclosure twice = square.shifted(1);
  const std::uint64_t convergent = 4 * (square.high_floor() + 1);
  Enclosure term = number(t, 1);
  Enclosure sum = term;
  for (std::uint64_t k = 3; !term.is_last_place() || k < convergent; k += 2) {
    term = (term * twice).divided_by(k);
    sum = sum + term;
  }
  const Scaled decay = exp_of(square, true);
  return constants(t.fraction_limbs()).two_over_root_pi * decay.value *
         sum.widened(term).shifted(decay.exponent);
}

// x y / (1 + y) for negative x, x / (1 + y) for positive: x times the logistic function when
// y = e^-|argument|.
Scaled logistic(const Scaled& y, bool negative) {
  const Enclosure denominator = number(y.value, 1) + unscaled(y);
  if (negative) return {false, y.value / denominator, y.exponent};
  return {false, number(y.value, 1) / denominator, 0};
}

Scaled times_x(const Scaled& factor, const Value& x) {
  const int limbs = factor.value.fraction_limbs();
  return {x.negative, factor.value * significand(x, limbs), factor.exponent + x.exponent};
}

}  // namespace

const Constants& constants(int fraction_limbs) {
  static const Constants first = make_constants(kPrecisions[0]);
  if (fraction_limbs == kPrecisions[0]) return first;
  static const Constants second = make_constants(kPrecisions[1]);
  if (fraction_limbs == kPrecisions[1]) return second;
  static const Constants third = make_constants(kPrecisions[2]);
  return third;
}

// The nearest integer that leaves a fraction in [0, 1].
Scaled power_of_two(const Enclosure& t, bool negated) {
  const std::uint64_t integer = negated ? t.high_floor() + 1 : t.low_floor();
  const Enclosure whole = number(t, integer);
  const Enclosure fraction = negated ? whole - t : t - whole;
  const int exponent = static_cast<int>(integer);
  return {false, exp_series(fraction * constants(t.fraction_limbs()).ln2),
          negated ? -exponent : exponent};
}

Enclosure erfc(const Enclosure& t) { return number(t, 1) - t * erf_quotient(t); }

Scaled exp_of(const Enclosure& t, bool negated) {
  return power_of_two(t * constants(t.fraction_limbs()).log2e, negated);
}

Scaled wide_exp(const Value& x, int limbs) { return exp_of(argument(x, limbs), x.negative); }

Scaled wide_exp2(const Value& x, int limbs) { return power_of_two(argument(x, limbs), x.negative); }

Scaled wide_rsqrt(const Value& x, int limbs) {
  const int odd = x.exponent & 1;
  const Enclosure one(limbs, 1);
  return {false, one / significand(x, limbs).shifted(odd).root(), -(x.exponent - odd) / 2};
}

Scaled wide_erf(const Value& x, int limbs) {
  return times_x({false, erf_quotient(argument(x, limbs)), 0}, x);
}

Scaled wide_erfc(const Value& x, int limbs) {
  const Enclosure tail = erfc(argument(x, limbs));
  return {false, x.negative ? number(tail, 2) - tail : tail, 0};
}

Scaled wide_sigmoid(const Value& x, int limbs) {
  return logistic(exp_of(argument(x, limbs), true), x.negative);
}

// x Phi(x), Phi(x) = (1 + erf(x / sqrt 2)) / 2
Scaled wide_gelu(const Value& x, int limbs) {
  const Enclosure one(limbs, 1);
  const Enclosure tail = erfc(argument(x, limbs) * constants(limbs).root_half).shifted(-1);
  return times_x({false, x.negative ? tail : one - tail, 0}, x);
}

// x/2 (1 + tanh z) = x / (1 + e^(-2z)), 2z = 2 sqrt(2/pi) (x + 0.044715 x^3)
Scaled wide_gelu_tanh(const Value& x, int limbs) {
  const Enclosure size = argument(x, limbs);
  const Enclosure cubic = (size * size).times(44715).divided_by(1000000);
  const Enclosure twice_z = constants(limbs).gelu_slope * size * (Enclosure(limbs, 1) + cubic);
  return times_x(logistic(exp_of(twice_z, true), x.negative), x);
}

namespace {

// Stands for a low end of zero: it is too small for every format.
constexpr Magnitude kNothing{-(1 << 20), (std::uint64_t{1} << kLead) | 1};

// above: the interval just above a truncated number. below: the one just below a number that may
// be exact.
Magnitude above(const Leading& low, int exponent) {
  if (low.significand == 0) return kNothing;
  return {low.exponent + exponent, low.significand | 1};
}
Magnitude below(const Leading& high, int exponent) {
  if (high.rest || (high.significand & 1) != 0) return above(high, exponent);
  if (high.significand == std::uint64_t{1} << kLead) {
    return {high.exponent + exponent - 1, ~std::uint64_t{0} >> (63 - kLead)};
  }
  return {high.exponent + exponent, high.significand - 1};
}

bool less(const Magnitude& a, const Magnitude& b) {
  return std::tie(a.exponent, a.significand) < std::tie(b.exponent, b.significand);
}

}  // namespace

Bounds bounds(const Scaled& scaled) {
  return {scaled.negative, above(scaled.value.low(), scaled.exponent),
          below(scaled.value.high(), scaled.exponent)};
}

Bounds intersection(const Bounds& a, const Bounds& b) {
  return {a.negative, std::max(a.low, b.low, less), std::min(a.high, b.high, less)};
}

}  // namespace halfmark::soft::detail
