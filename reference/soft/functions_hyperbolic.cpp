// SPDX-License-Identifier: Apache-2.0
// Both evaluations of the functions of e^|x| and e^-|x|, or of e^2|x| and e^-2|x|: the hyperbolic
// functions and e^x - 1; also 10^x. Where the difference would cancel, the fixed-point part uses
// the series of (e^u - 1) / u instead; the enclosures have bits to spare.
#include "reference/soft/functions_fixed.hpp"
#include "reference/soft/functions_series.hpp"

namespace halfmark::soft::detail {
namespace {

// --- in fixed point ------------------------------------------------------------------------------

Value twice(const Value& x) {
  Value result = x;
  result.exponent += 1;
  return result;
}

// |x| p = product * 2^(exponent - 62), where p is off by two units; and the denominator 1 + |x| p.
struct Slope {
  std::uint64_t p;
  std::uint64_t product;
  std::uint64_t denominator;  // in units of 2^-63
};

// For |x| < 1/4 and u < 1/4: the p of u = |x| 2^doublings. The product is off by 3, the denominator
// by 2.
Slope slope_at(const Value& x, int doublings) {
  const std::uint64_t p = exponential_slope(x.significand >> (-x.exponent - 2 - doublings));
  const std::uint64_t product = multiply(x.significand << 1, p);
  return {p, product, kOne + (product >> (-x.exponent - 1))};
}

// |x| p / (1 + |x| p): tanh |x| if u is 2 |x|, and 1 - e^-|x| if u is |x|. One more truncation.
Bounds small_quotient(const Value& x, int doublings) {
  const Slope s = slope_at(x, doublings);
  return around(x.negative, x.exponent + 1, divide(s.product, s.denominator), 8);
}

// (e^|x| - e^-|x|) / 2 = |x| (p + p / (1 + |x| p)) / 2. The quotient is off by 5 units, and half
// the sum, which is truncated twice, by 5.
Bounds small_sinh(const Value& x) {
  const Slope s = slope_at(x, 0);
  return times_x(x, {0, (s.p >> 1) + (divide(s.p, s.denominator) >> 1)}, 5);
}

// y times a factor below 2, in units of 2^-63 and off by kPowerError + 1 of them. The error is
// that, y's own error, and the truncation.
constexpr std::uint64_t kProductError = 2 * kPowerError + 2;
Bounds product(bool negative, const Power& y, std::uint64_t factor) {
  return around(negative, y.exponent + 1, multiply(y.significand, factor), kProductError);
}

// e^-|x| in units of 2^-63
std::uint64_t decay(const Value& x) { return fixed(power_of(binary_argument(x), true)); }

Power half_growth(const Value& x) {
  Power y = power_of(binary_argument(x), false);
  y.exponent -= 1;
  return y;
}

// log2 10 * 2^102: 104 bits
Wide binary_of_ten() {
  static const Wide kLog2Of10 = constants(kSourceLimbs).log2_10.low_scaled(102);
  return kLog2Of10;
}

// --- in enclosures -------------------------------------------------------------------------------

Scaled times(bool negative, const Scaled& y, const Enclosure& factor) {
  return {negative, y.value * factor, y.exponent};
}

}  // namespace

// (1 - y) / (1 + y), y = e^(-2|x|) < 0.78, of slope at most 2.
Bounds fast_tanh(const Value& x) {
  if (x.exponent < -3) return small_quotient(x, 1);
  const std::uint64_t y = decay(twice(x));
  return around(x.negative, 0, divide(kOne - y, kOne + y), 2 * (kPowerError + 1) + 1);
}

// e^|x| (1 - e^-2|x|) / 2
Bounds fast_sinh(const Value& x) {
  if (x.exponent < -2) return small_sinh(x);
  return product(x.negative, half_growth(x), kOne - decay(twice(x)));
}

Bounds fast_cosh(const Value& x) { return product(false, half_growth(x), kOne + decay(twice(x))); }

// 1 - e^-|x|, and that times e^|x|
Bounds fast_expm1(const Value& x) {
  if (x.exponent < -2) {
    return x.negative ? small_quotient(x, 0) : times_x(x, {0, slope_at(x, 0).p}, 2);
  }
  const std::uint64_t rest = kOne - decay(x);
  if (x.negative) return around(true, 0, rest, kPowerError + 1);
  return product(false, power_of(binary_argument(x), false), rest);
}

// |x| log2 10 in units of 2^-64, too small by less than 1.01, as for e^x.
Bounds fast_exp10(const Value& x) {
  const Wide t = shift_right(integer_of(x) * binary_of_ten(), 102 + kPlaces - 64 - x.exponent);
  const Power y = power_of(t, x.negative);
  return around(false, y.exponent, y.significand, kPowerError);
}

Scaled wide_tanh(const Value& x, int limbs) {
  const Enclosure one(limbs, 1);
  const Enclosure y = unscaled(exp_of(argument(x, limbs).shifted(1), true));
  return {x.negative, (one - y) / (one + y), 0};
}

Scaled wide_sinh(const Value& x, int limbs) {
  const Enclosure y = unscaled(exp_of(argument(x, limbs).shifted(1), true));
  return times(x.negative, exp_of(argument(x, limbs), false), (number(y, 1) - y).shifted(-1));
}

Scaled wide_cosh(const Value& x, int limbs) {
  const Enclosure y = unscaled(exp_of(argument(x, limbs).shifted(1), true));
  return times(false, exp_of(argument(x, limbs), false), (number(y, 1) + y).shifted(-1));
}

Scaled wide_expm1(const Value& x, int limbs) {
  const Enclosure y = unscaled(exp_of(argument(x, limbs), true));
  const Enclosure rest = number(y, 1) - y;
  if (x.negative) return {true, rest, 0};
  return times(false, exp_of(argument(x, limbs), false), rest);
}

Scaled wide_exp10(const Value& x, int limbs) {
  return power_of_two(argument(x, limbs) * constants(limbs).log2_10, x.negative);
}

}  // namespace halfmark::soft::detail
