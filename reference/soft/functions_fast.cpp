// SPDX-License-Identifier: Apache-2.0
// The functions in 64-bit fixed point. Every product is truncated, so it is too small by less than
// one unit; a comment at each function adds those units up to its error bound. A unit is the last
// place of the word in question: 2^-64 of a fraction, 2^-63 of a number in [1, 2).
//
// Method: argument reduction with small tables, then a Taylor polynomial by Horner's rule with
// positive terms only (J.-M. Muller, Elementary Functions, 3rd ed., chapters 4 to 6). The source
// contains no numeric constants: tables and coefficients are computed from enclosures at first use.
#include <utility>

#include "reference/soft/functions_fixed.hpp"

namespace halfmark::soft::detail {
namespace {

// --- tables --------------------------------------------------------------------------------------

constexpr int kPowerCells = 64;
constexpr std::size_t kErfcxTerms = 14;
constexpr int kErfcxCells = 182;  // sixteenths up to 16 / sqrt 2
using Erfcx = std::array<std::uint64_t, kErfcxTerms>;

struct Tables {
  Tables();

  std::array<std::uint64_t, kPowerCells> power;  // 2^(i/64), in [1, 2)
  std::array<std::uint64_t, 8> power_terms;      // (ln 2 / 64)^n / n!, n from 0 (unused, 0)
  std::array<std::uint64_t, 13> expm1_terms;     // 1 / (n + 2)!
  std::array<std::uint64_t, 13> erf_terms;       // 1 / ((n + 1)! (2n + 3))
  Wide log2e;                                    // * 2^103
  Wide gelu_tanh_slope;                          // 2 sqrt(2/pi) log2 e, * 2^126
  Wide cubic;                                    // 0.044715, * 2^80
  std::uint64_t two_over_root_pi;                // in [1, 2)
  std::uint64_t root_half;                       // a fraction
};

// e^(t^2) erfc(t) to the left of t = c: the sum of a_n h^n at t = c - h. The function is
// completely monotone (it is 2/sqrt(pi) times the integral of e^(-s^2 - 2 t s) ds), so every a_n
// is positive and largest at c = 0, where it is 1 / Gamma(n/2 + 1). Its differential equation g' =
// 2 t g - 2/sqrt(pi) gives a_1 = 2/sqrt(pi) - 2 c a_0 and a_(n+1) = 2 (a_(n-1) - c a_n) / (n + 1).
// That recurrence cancels, which the width of the enclosures would show. Stored as fractions for h
// in sixteenths.
Erfcx make_erfcx(std::uint64_t cell) {
  const Constants& known = constants(kSourceLimbs);
  const Enclosure c(kSourceLimbs, cell, -4);
  const Scaled growth = power_of_two(c * c * known.log2e, false);
  Enclosure before = (erfc(c) * growth.value).shifted(growth.exponent);
  Enclosure now = known.two_over_root_pi - (before * c).shifted(1);
  Erfcx terms{};
  terms[0] = cut(before, 64);
  for (std::size_t n = 1; n < kErfcxTerms; ++n) {
    terms[n] = cut(now, 64 - 4 * static_cast<int>(n));
    Enclosure next = (before - now * c).shifted(1).divided_by(n + 1);
    before = std::exchange(now, next);
  }
  return terms;
}

Tables::Tables() {
  const Constants& known = constants(kSourceLimbs);
  const Enclosure one(kSourceLimbs, 1);
  for (std::size_t i = 0; i < power.size(); ++i) {
    power[i] = cut(power_of_two(Enclosure(kSourceLimbs, i, -6), false).value, 63);
  }
  Enclosure term = one;
  power_terms[0] = 0;
  for (std::size_t n = 1; n < power_terms.size(); ++n) {
    term = (term * known.ln2.shifted(-6)).divided_by(n);
    power_terms[n] = cut(term, 64);
  }
  Enclosure factorial = one;  // 1 / (n + 1)!
  for (std::size_t n = 0; n < expm1_terms.size(); ++n) {
    erf_terms[n] = cut(factorial.divided_by(2 * n + 3), 64);
    factorial = factorial.divided_by(n + 2);
    expm1_terms[n] = cut(factorial, 64);
  }
  log2e = known.log2e.low_scaled(103);
  gelu_tanh_slope = (known.gelu_slope * known.log2e).low_scaled(126);
  cubic = one.times(44715).divided_by(1000000).low_scaled(80);
  two_over_root_pi = cut(known.two_over_root_pi, 63);
  root_half = cut(known.root_half, 64);
}

const Tables& tables() {
  static const Tables all;
  return all;
}

// A separate table, because it takes tens of milliseconds to compute and most functions do not need
// it. No argument lies to the left of 0.
struct ErfcxCells {
  ErfcxCells() {
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i] = make_erfcx(i);
  }
  std::array<Erfcx, kErfcxCells + 1> cells{};
};
const Erfcx& erfcx_cell(std::uint64_t cell) {
  static const ErfcxCells all;
  return all.cells[cell];
}

// --- parts ---------------------------------------------------------------------------------------

}  // namespace

// The errors sum as follows. The polynomial's 7 coefficients give 14 units of 2^-64, its tail and
// that of t give 1 + 1.4; all of this times less than 2, in half units, is 17. Table entry and
// product add 2.
Power power_of(Wide t, bool negated) {
  if (negated) t = -t;
  const Tables& table = tables();
  const auto fraction = static_cast<std::uint64_t>(t);
  // The argument is below 2^-6.5 and the degree is 7: the tail is less than 2^-67.
  const std::uint64_t rest = horner(table.power_terms, fraction << 6);
  const std::uint64_t start = table.power[fraction >> 58];
  return {static_cast<int>(static_cast<std::int64_t>(t >> 64)), start + multiply(start, rest)};
}

// The constant is truncated after 103 places.
Wide binary_argument(const Value& x) {
  return shift_right(integer_of(x) * tables().log2e, 103 + kPlaces - 64 - x.exponent);
}

Bounds times_x(const Value& x, const Power& factor, std::uint64_t error) {
  const std::uint64_t product = multiply(x.significand << 1, factor.significand);
  return around(x.negative, x.exponent + factor.exponent + 1, product, error + 1);
}

// 1 + u (1/2 + u/6 + ...) with 13 terms, tail 2^-68.
std::uint64_t exponential_slope(std::uint64_t u) {
  return kOne + (multiply(u, horner(tables().expm1_terms, u)) >> 1);
}

// Newton's iteration y (3 - m y^2) / 2. The initial line 0.914 (7 - m) / 6 is off by at most 8.6 %
// (its extremes are at 1, 7/3 and 4); an error e becomes 1.5 e^2 + e^3 / 2, after five steps less
// than 2^-90. In the last step m y^2 is too small by two units of 2^-60, which are 16 of y's units,
// and half of them count; the errors of earlier steps are squared away.
std::uint64_t inverse_root(std::uint64_t m) {
  constexpr std::uint64_t kSlope = kOne / 6000 * 914;
  std::uint64_t y = 7 * kSlope - 4 * multiply(m, kSlope);
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t product = multiply(multiply(y, y), m);  // in units of 2^-60
    const std::uint64_t rest = (std::uint64_t{3} << 60) - product;
    y = static_cast<std::uint64_t>(Wide{y} * rest >> 61);
  }
  return y;
}

namespace {

// x^2 log2 e / 2^halvings in units of 2^-64, too small by less than 1.01; |x| < 16.
Wide binary_square(const Value& x, int halvings) {
  const Wide square = Wide{integer_of(x)} * integer_of(x);
  const Wide product = square * (tables().log2e >> 24);  // 48 and 80 bits
  return shift_right(product, 79 + 2 * kPlaces - 64 - 2 * x.exponent + halvings);
}

// 1 / (1 + y) or y / (1 + y) for y < 1. 1 + y is off by kPowerError + 1 units, which changes a
// quotient below 2 by at most twice that; the numerator y adds kPowerError and the truncation 1.
constexpr std::uint64_t kLogisticError = 2 * (kPowerError + 1) + kPowerError + 1;
Power logistic(const Power& y, bool negative) {
  const std::uint64_t denominator = kOne + fixed(y);
  return negative ? Power{y.exponent, divide(y.significand, denominator)}
                  : Power{0, divide(kOne, denominator)};
}

// e^(t^2) erfc(t) as a fraction, for t in units of 2^-60, too small by less than 1.5 of them (or by
// 2 when t > 2, where the slope is small). The slope is below 2/sqrt(pi), so the error of t
// contributes 27.1 units of 2^-64; the 14 terms contribute 28, and their tail is 16^-14 / Gamma(8)
// < 2^-68.
constexpr std::uint64_t kErfcxError = 56;
std::uint64_t erfcx(std::uint64_t t) {
  const std::uint64_t cell = (t + (std::uint64_t{1} << 56) - 1) >> 56;
  const std::uint64_t h = (cell << 56) - t;
  return horner(erfcx_cell(cell), h << 8);
}

// erfc(t) = e^(-t^2) g: the errors of both factors and the truncation. As g >= 2^-5 the significand
// is at least 2^58.
constexpr std::uint64_t kErfcError = kErfcxError + kPowerError + 1;
Power erfc_of(Wide binary_square_of_t, std::uint64_t t) {
  const Power y = power_of(binary_square_of_t, true);
  return {y.exponent, multiply(y.significand, erfcx(t))};
}

// 2 sqrt(2/pi) (|x| + 0.044715 |x|^3) log2 e in units of 2^-64, for |x| < 16. Truncating 0.044715
// costs less than a quarter unit, the other constants and products less, the last shift one.
Wide binary_slope(const Value& x) {
  const Tables& table = tables();
  const Wide square = Wide{integer_of(x)} * integer_of(x);
  const Wide factor = (Wide{1} << 120) + shift_right(square * table.cubic, 6 - 2 * x.exponent);
  const Wide product = integer_of(x) * (factor >> 20);  // 24 and 104 bits
  return shift_right(multiply(product, table.gelu_tanh_slope), 57 - x.exponent);
}

// x 2/sqrt(pi) (1 - w (1/3 - w/10 + ...)) with w = x^2 < 1/4 and 13 terms; the tail is 2^-69. The
// sum is off by 3 units of 2^-64, w times it by 3, and hence 2/sqrt(pi) times that by 2 units of
// 2^-63; three truncations.
Bounds small_erf(const Value& x) {
  const Wide square = Wide{integer_of(x)} * integer_of(x);
  const int left = 64 - 2 * kPlaces + 2 * x.exponent;
  const auto w = static_cast<std::uint64_t>(left > 0 ? square << left : shift_right(square, -left));
  const std::uint64_t series = multiply(w, horner_alternating(tables().erf_terms, w));
  const std::uint64_t slope = tables().two_over_root_pi;
  return times_x(x, {0, slope - multiply(slope, series)}, 6);
}

}  // namespace

Bounds fast_exp(const Value& x) {
  const Power y = power_of(binary_argument(x), x.negative);
  return around(false, y.exponent, y.significand, kPowerError);
}

// The argument is exact: 24 bits, from 2^-26 to 2^8.
Bounds fast_exp2(const Value& x) {
  const int up = x.exponent + 64 - kLead;
  const Wide t = up >= 0 ? Wide{x.significand} << up : Wide{x.significand} >> -up;
  const Power y = power_of(t, x.negative);
  return around(false, y.exponent, y.significand, kPowerError);
}

Bounds fast_rsqrt(const Value& x) {
  const int odd = x.exponent & 1;
  return around(false, -(x.exponent - odd) / 2, inverse_root(x.significand << odd), 10);
}

// From 1/2 on the result is 1 - erfc(|x|), with erfc truncated to the units of 1.
Bounds fast_erf(const Value& x) {
  if (x.exponent < -1) return small_erf(x);
  const Power tail = erfc_of(binary_square(x, 0), x.significand >> (2 - x.exponent));
  return around(x.negative, 0, kOne - fixed(tail), kErfcError + 1);
}

// For negative x the result is 2 - erfc(|x|), in units of 2^-63, which 64 bits hold.
Bounds fast_erfc(const Value& x) {
  const int up = x.exponent - 2;  // to units of 2^-60
  const std::uint64_t t = up > 0 ? x.significand << up : x.significand >> -up;
  const Power tail = erfc_of(binary_square(x, 0), t);
  if (!x.negative) return around(false, tail.exponent, tail.significand, kErfcError);
  return around(false, 0, -fixed(tail), kErfcError + 1);
}

Bounds fast_sigmoid(const Value& x) {
  const Power factor = logistic(power_of(binary_argument(x), true), x.negative);
  return around(false, factor.exponent, factor.significand, kLogisticError);
}

// For negative x the result is x erfc(|x| / sqrt 2) / 2, else x times 1 less that factor.
Bounds fast_gelu(const Value& x) {
  const std::uint64_t t = multiply(x.significand << 1, tables().root_half) >> (3 - x.exponent);
  Power tail = erfc_of(binary_square(x, 1), t);
  tail.exponent -= 1;
  if (x.negative) return times_x(x, tail, kErfcError);
  return times_x(x, {0, kOne - fixed(tail)}, kErfcError + 1);
}

Bounds fast_gelu_tanh(const Value& x) {
  return times_x(x, logistic(power_of(binary_slope(x), true), x.negative), kLogisticError);
}

}  // namespace halfmark::soft::detail
