// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/rational.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::slow {
namespace {

using formats::Bits;
using formats::Format;
using soft::Rounding;

// The integer next to x that the definition of the direction chooses.
mpz_class to_integer(const Rational& x, Rounding rounding) {
  mpz_class below;
  mpz_fdiv_q(below.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  const Rational rest = x - below;
  if (rest == 0) return below;
  mpz_class above = below + 1;
  const Rational half(1, 2);
  if (rounding == Rounding::kTowardZero) return x > 0 ? below : above;
  if (rounding == Rounding::kDown) return below;
  if (rounding == Rounding::kUp) return above;
  if (rest != half) return rest < half ? below : above;
  if (rounding == Rounding::kNearAway) return x > 0 ? above : below;
  return mpz_even_p(below.get_mpz_t()) != 0 ? below : above;
}

}  // namespace

Rational power_of_two(int exponent) {
  mpz_class power = 1;
  power <<= static_cast<mp_bitcnt_t>(std::abs(exponent));
  return exponent < 0 ? Rational(1, power) : Rational(power);
}

int floor_log2(const Rational& x) {
  const Rational size = abs(x);
  const auto length = [](const mpz_class& z) {
    return static_cast<int>(mpz_sizeinbase(z.get_mpz_t(), 2));
  };
  const int guess = length(size.get_num()) - length(size.get_den());
  return power_of_two(guess) > size ? guess - 1 : guess;
}

Rational to_multiple(const Rational& x, int place, Rounding rounding) {
  return to_integer(x / power_of_two(place), rounding) * power_of_two(place);
}

Real real_of(const Format& f, Bits bits) {
  const bool negative = formats::sign(f, bits);
  if (formats::is_nan(f, bits)) return {Real::Kind::kNan, false, 0};
  if (formats::is_infinity(f, bits)) return {Real::Kind::kInfinity, negative, 0};
  const int field = formats::exponent_field(f, bits);
  const bool implicit = field != 0 || !f.has_zero;
  const Bits integer = formats::fraction_field(f, bits) + (implicit ? f.fraction_mask() + 1 : 0);
  const int exponent = (f.has_zero ? std::max(field, 1) : field) - f.bias - f.fraction_bits;
  const Rational size = mpz_class(integer) * power_of_two(exponent);
  return {Real::Kind::kFinite, negative, negative ? Rational(-size) : size};
}

Real rounded(const Format& f, int fraction_bits, const Real& x, Rounding rounding) {
  if (x.kind != Real::Kind::kFinite || x.value == 0) return x;
  const int exponent = std::max(floor_log2(x.value), f.min_exponent());
  const Rational value = to_multiple(x.value, exponent - fraction_bits, rounding);
  if (abs(value) >= power_of_two(f.max_exponent() + 1)) {
    return {Real::Kind::kInfinity, x.negative, 0};
  }
  return {Real::Kind::kFinite, x.negative, value};
}

Bits encoding_of(const Format& f, const Real& x, Bits nan) {
  if (x.is_nan()) return nan;
  if (x.is_infinite()) return formats::infinity(f, x.negative);
  if (x.is_zero()) return formats::zero(f, x.negative);
  const int exponent = std::max(floor_log2(x.value), f.min_exponent());
  const Rational places = abs(x.value) / power_of_two(exponent - f.fraction_bits);
  const Bits integer = mpz_class(places.get_num()).get_ui();
  // The implicit leading bit, if there is one, adds the last step to the exponent field.
  const auto below = static_cast<Bits>(exponent - f.min_exponent());
  return (x.negative ? f.sign_mask() : 0) | ((below << f.fraction_bits) + integer);
}

Real exact_product(const Real& x, const Real& y) {
  const bool negative = x.negative != y.negative;
  if (x.is_nan() || y.is_nan()) return {Real::Kind::kNan, false, 0};
  if (x.is_infinite() || y.is_infinite()) {
    if (x.is_zero() || y.is_zero()) return {Real::Kind::kNan, false, 0};
    return {Real::Kind::kInfinity, negative, 0};
  }
  return {Real::Kind::kFinite, negative, x.value * y.value};
}

Real exact_sum(const Real& x, const Real& y) {
  if (x.is_nan() || y.is_nan()) return {Real::Kind::kNan, false, 0};
  if (x.is_infinite() && y.is_infinite() && x.negative != y.negative) {
    return {Real::Kind::kNan, false, 0};
  }
  if (x.is_infinite()) return x;
  if (y.is_infinite()) return y;
  const Rational value = x.value + y.value;
  const bool negative = value == 0 ? x.negative && y.negative : value < 0;
  return {Real::Kind::kFinite, negative, value};
}

}  // namespace halfmark::slow
