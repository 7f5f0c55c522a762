// SPDX-License-Identifier: Apache-2.0
// Operands where the value of a function is representable or halfway between representable numbers,
// and operands where it is extremely close to a representable number. Ziv's strategy
// (functions.cpp) must not be applied to these.
//
// The value is representable or halfway at
//   exp, expm1, log, log1p, sinh, cosh
//                  0 and, for log, 1: elsewhere they are transcendental (Hermite, Lindemann)
//   exp2, log2     integers and powers of two: elsewhere x = p/q in lowest terms with q > 1 a power
//                  of two and 2^x irrational, or log2 x = p/q would give x^q = 2^p
//   rsqrt          even powers of two: y^2 x = 1 with y = n 2^g and x = m 2^e, n and m odd, gives
//                  n^2 m = 1
//   tanh, sigmoid  0: they are rational functions of e^2x and e^x
//   exp10, log10   positive integers and powers of ten: elsewhere x = p/q with q > 1 a power of two
//                  and 10^x irrational, or 10^-n a fraction of denominator 5^n, or log10 x = p/q
//                  would give x^q = 10^p. 5^n has more than 62 bits from 27 on
//   cbrt           cubes: y^3 = x with x of 24 bits has y of 8 bits
//   sin, cos, tan, asin, acos, atan
//                  0 and, for acos, 1: elsewhere transcendental (Lindemann)
//   sinpi, cospi   multiples of 1/2: elsewhere the operand is p/q with q > 2 a power of two, where
//                  they are irrational (I. Niven, Irrational Numbers, 1956, corollary 3.12)
//   erf, erfc, gelu, gelu_tanh
//                  0. No theorem is known for these, but there are finitely many operands, and 256
//                  bits decide all encodings of binary32 (see README.md)
// For very small and very large operands, where the value is extremely close to a representable
// number, the first term of the difference gives the bounds.
#include "reference/soft/functions_edges.hpp"

#include <bit>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft::detail {
namespace {

constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kLead;
constexpr Magnitude kUnit{0, kLeadingOne};
// Beyond every format: the bounds of values that overflow, and of values less than 2^-32 of the
// smallest number, which not even stochastic rounding can distinguish from zero.
constexpr int kFar = 184;
constexpr int kFarther = 1 << 20;
constexpr Magnitude power(int exponent) { return {exponent, kLeadingOne | 1}; }
constexpr Bounds huge(bool negative) { return {negative, power(kFar), power(kFarther)}; }
constexpr Bounds vanishing(bool negative) { return {negative, power(-kFarther), power(-kFar)}; }

// Bounds of a value above v by less than v 2^-bits. v has few enough significant bits that
// nothing carries.
Bounds just_above(bool negative, Magnitude v, int bits) {
  const std::uint64_t step = bits > kLead ? 0 : v.significand >> bits;
  return {negative, {v.exponent, v.significand | 1}, {v.exponent, (v.significand + step) | 1}};
}

// Bounds of a value below v by less than v 2^-bits.
Bounds just_below(bool negative, Magnitude v, int bits) {
  // In half units of v's last place: the bounds may lie in the binade below.
  const auto half_units = [&v](std::uint64_t significand) {
    return significand >> (kLead + 1) != 0 ? Magnitude{v.exponent, significand >> 1 | 1}
                                           : Magnitude{v.exponent - 1, significand | 1};
  };
  const std::uint64_t twice = v.significand << 1;
  const std::uint64_t step = bits > kLead ? 1 : twice >> bits;
  return {negative, half_units(twice - step), half_units(twice - 1)};
}

// b^x for a fixed base b: below 2^least, b^x - 1 is less than 2^slope_bits |x|; from 2^beyond on,
// the power is beyond every format.
struct PowerEdges {
  int least, beyond, slope_bits;
};
std::optional<Bounds> edge_of_power(const Value& x, const PowerEdges& edges) {
  if (x.exponent < edges.least) {
    const int bits = -x.exponent - 1 - edges.slope_bits;
    return x.negative ? just_below(false, kUnit, bits) : just_above(false, kUnit, bits);
  }
  if (x.exponent >= edges.beyond) return x.negative ? vanishing(false) : huge(false);
  return std::nullopt;
}

// --- operands with exact results -----------------------------------------------------------------

Result integer(const Format& f, int n, const Environment& env) {
  if (n == 0) return zero_result(f, false);
  const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
  const int exponent = 63 - std::countl_zero(size);
  return round(f, n < 0, exponent, size << (kLead - exponent), env);
}

bool is_one(const Value& x) { return x.exponent == 0 && x.significand == kLeadingOne; }
bool is_beyond_one(const Value& x) { return x.exponent >= 0 && !is_one(x); }

// |x| if it is an integer below 2^11.
std::optional<int> small_integer(const Value& x) {
  if (x.exponent < 0 || x.exponent > 10) return std::nullopt;
  const std::uint64_t size = x.significand >> (kLead - x.exponent);
  if (size << (kLead - x.exponent) != x.significand) return std::nullopt;
  return static_cast<int>(size);
}

// 10^n, or 5^n, as long as that is below 2^62.
constexpr int kMostFives = 26;
std::uint64_t power_of_five(int n) {
  std::uint64_t power = 1;
  for (int i = 0; i < n; ++i) power *= 5;
  return power;
}

}  // namespace

Result pole(const Format& f, bool negative, const Environment& env) {
  const Result infinite = round(f, Value{Kind::kInfinity, negative, 0, 0}, env);
  return {infinite.bits, infinite.flags | kDivideByZero};
}

Result half_pi(const Format& f, bool negative, int times, const Environment& env) {
  const Leading pi = constants(kPrecisions[0]).half_pi.low();
  return round(f, negative, pi.exponent + times - 1, pi.significand | 1, env);
}

std::optional<Result> exact_exp2(const Format& f, const Value& x, const Environment& env) {
  const std::optional<int> n = small_integer(x);
  if (!n) return std::nullopt;
  return round(f, false, x.negative ? -*n : *n, kLeadingOne, env);
}

std::optional<Result> exact_exp10(const Format& f, const Value& x, const Environment& env) {
  const std::optional<int> n = small_integer(x);
  if (!n || x.negative || *n > kMostFives) return std::nullopt;
  const std::uint64_t fives = power_of_five(*n);
  const int zeros = std::countl_zero(fives) - 1;
  return round(f, false, *n + kLead - zeros, fives << zeros, env);
}

std::optional<Result> exact_log(const Format& f, const Value& x, const Environment& env) {
  if (!is_one(x)) return std::nullopt;
  return integer(f, 0, env);
}

std::optional<Result> exact_log10(const Format& f, const Value& x, const Environment& env) {
  for (int n = 0; n <= 10 && x.exponent >= 0; ++n) {
    const std::uint64_t fives = power_of_five(n);
    const int zeros = std::countl_zero(fives) - 1;
    if (x.exponent == n + kLead - zeros && x.significand == fives << zeros) {
      return integer(f, n, env);
    }
  }
  return std::nullopt;
}

std::optional<Result> exact_log1p(const Format& f, const Value& x, const Environment& env) {
  if (!x.negative || x.exponent < 0) return std::nullopt;
  return is_one(x) ? pole(f, true, env) : nan_result(f, true);
}

std::optional<Result> exact_log2(const Format& f, const Value& x, const Environment& env) {
  if (x.significand != kLeadingOne) return std::nullopt;
  return integer(f, x.exponent, env);
}

std::optional<Result> exact_rsqrt(const Format& f, const Value& x, const Environment& env) {
  if (x.significand != kLeadingOne || x.exponent % 2 != 0) return std::nullopt;
  return round(f, false, -x.exponent / 2, kLeadingOne, env);
}

std::optional<Result> exact_cbrt(const Format& f, const Value& x, const Environment& env) {
  const int zeros = std::countr_zero(x.significand);
  if ((x.exponent - kLead + zeros) % 3 != 0) return std::nullopt;
  const std::uint64_t odd = x.significand >> zeros;
  std::uint64_t root = 1;
  while (root * root * root < odd) root += 2;
  if (root * root * root != odd) return std::nullopt;
  const int up = std::countl_zero(root) - 1;
  return round(f, x.negative, (x.exponent - kLead + zeros) / 3 + kLead - up, root << up, env);
}

namespace {

// 2 |x| modulo 4 if that is an integer.
std::optional<unsigned> quadrant_of(const Value& x) {
  const int zeros = std::countr_zero(x.significand);
  const int place = x.exponent - kLead + zeros;
  if (place < -1) return std::nullopt;
  if (place > 0) return 0;
  return place == 0 ? 2 : static_cast<unsigned>(x.significand >> zeros & 3);
}

}  // namespace

std::optional<Result> exact_sinpi(const Format& f, const Value& x, const Environment& env) {
  const std::optional<unsigned> quadrant = quadrant_of(x);
  if (!quadrant) return std::nullopt;
  if (*quadrant % 2 == 0) return zero_result(f, x.negative);
  return round(f, (*quadrant == 3) != x.negative, 0, kLeadingOne, env);
}

std::optional<Result> exact_cospi(const Format& f, const Value& x, const Environment& env) {
  const std::optional<unsigned> quadrant = quadrant_of(x);
  if (!quadrant) return std::nullopt;
  if (*quadrant % 2 != 0) return zero_result(f, false);
  return round(f, *quadrant == 2, 0, kLeadingOne, env);
}

std::optional<Result> exact_asin(const Format& f, const Value& x, const Environment& env) {
  if (is_beyond_one(x)) return nan_result(f, true);
  if (is_one(x)) return half_pi(f, x.negative, 1, env);
  return std::nullopt;
}

std::optional<Result> exact_acos(const Format& f, const Value& x, const Environment& env) {
  if (is_beyond_one(x)) return nan_result(f, true);
  if (is_one(x)) return x.negative ? half_pi(f, false, 2, env) : zero_result(f, false);
  return std::nullopt;
}

// --- values extremely close to a representable number --------------------------------------------

// 2^x - 1 and e^x - 1 are less than 2 |x|; e^256 and 2^256 are beyond every format.
std::optional<Bounds> edge_of_exp(const Value& x) {
  return edge_of_power(x, {.least = -26, .beyond = 8, .slope_bits = 1});
}

// x - tanh x < x^3 / 3, and 1 - tanh 16 < 2 e^-32.
std::optional<Bounds> edge_of_tanh(const Value& x) {
  if (x.exponent < -13) {
    return just_below(x.negative, {x.exponent, x.significand}, -2 * x.exponent - 1);
  }
  if (x.exponent >= 4) return just_below(x.negative, kUnit, x.exponent > 4 ? kLead + 1 : 45);
  return std::nullopt;
}

// 1 - erf 4 < 2^-25.9, 1 - erf 8 < e^-64. (Near zero, erf x is close to 2/sqrt(pi) x, which is
// not representable.)
std::optional<Bounds> edge_of_erf(const Value& x) {
  if (x.exponent >= 2) return just_below(x.negative, kUnit, x.exponent > 2 ? kLead + 1 : 25);
  return std::nullopt;
}

// 1/2 + x/4 - x^3/48; 1 - sigmoid 32 < e^-32; sigmoid -256 < e^-256.
std::optional<Bounds> edge_of_sigmoid(const Value& x) {
  constexpr Magnitude kHalf{-1, kLeadingOne};
  if (x.exponent < -26) {
    const int bits = -x.exponent - 1;
    return x.negative ? just_below(false, kHalf, bits) : just_above(false, kHalf, bits);
  }
  if (x.exponent >= 8 && x.negative) return vanishing(false);
  if (x.exponent >= 5 && !x.negative)
    return just_below(false, kUnit, x.exponent > 5 ? kLead + 1 : 46);
  return std::nullopt;
}

// Both GELUs begin with x/2 (1 + sqrt(2/pi) x), and 16 times their factor at -16 is below 2^-185.
std::optional<Bounds> edge_of_any_gelu(const Value& x) {
  if (x.exponent < -26) {
    const Magnitude half{x.exponent - 1, x.significand};
    const int bits = -x.exponent - 1;
    return x.negative ? just_below(true, half, bits) : just_above(false, half, bits);
  }
  if (x.exponent >= 4 && x.negative) return vanishing(true);
  return std::nullopt;
}

// 1 - Phi(8) < 2^-50, 1 - Phi(16) < 2^-189.
std::optional<Bounds> edge_of_gelu(const Value& x) {
  if (x.exponent < 3 || x.negative) return edge_of_any_gelu(x);
  return just_below(false, {x.exponent, x.significand}, x.exponent > 3 ? kLead + 1 : 50);
}

// The factor is 1 / (1 + e^-2z), 2z > 24.9 at 6 and > 49 at 8.
std::optional<Bounds> edge_of_gelu_tanh(const Value& x) {
  const bool from_six =
      x.exponent >= 3 || (x.exponent == 2 && x.significand >= kLeadingOne / 2 * 3);
  if (!from_six || x.negative) return edge_of_any_gelu(x);
  return just_below(false, {x.exponent, x.significand}, x.exponent > 2 ? kLead + 1 : 35);
}

// x - sin x < x^3 / 6.
std::optional<Bounds> edge_of_sin(const Value& x) {
  if (x.exponent >= -13) return std::nullopt;
  return just_below(x.negative, {x.exponent, x.significand}, -2 * x.exponent);
}

// 1 - cos x < x^2 / 2.
std::optional<Bounds> edge_of_cos(const Value& x) {
  if (x.exponent >= -13) return std::nullopt;
  return just_below(false, kUnit, -2 * x.exponent - 1);
}

// 1 - cos(pi x) < (pi x)^2 / 2 < 5 x^2.
std::optional<Bounds> edge_of_cospi(const Value& x) {
  if (x.exponent >= -16) return std::nullopt;
  return just_below(false, kUnit, -2 * x.exponent - 5);
}

// 10^x - 1 is less than 4 |x|; 10^64 is beyond every format.
std::optional<Bounds> edge_of_exp10(const Value& x) {
  return edge_of_power(x, {.least = -28, .beyond = 6, .slope_bits = 2});
}

// x + x^2/2 + ...; 1 - e^-32 and 1 - e^-64.
std::optional<Bounds> edge_of_expm1(const Value& x) {
  const Magnitude size{x.exponent, x.significand};
  const int bits = -x.exponent - 1;
  if (x.exponent < -26) {
    return x.negative ? just_below(true, size, bits) : just_above(false, size, bits);
  }
  if (x.exponent >= 5 && x.negative) {
    return just_below(true, kUnit, x.exponent > 5 ? kLead + 1 : 46);
  }
  if (x.exponent >= 8) return huge(false);
  return std::nullopt;
}

// x - x^2/2 + ...
std::optional<Bounds> edge_of_log1p(const Value& x) {
  if (x.exponent >= -26) return std::nullopt;
  const Magnitude size{x.exponent, x.significand};
  const int bits = -x.exponent - 1;
  return x.negative ? just_above(true, size, bits) : just_below(false, size, bits);
}

// 1 - erf x, erf x < 1.13 x; 1 + erf 4 > 2 - 2^-25.9, 1 + erf 8 > 2 - e^-64; erfc(181/16) < 2^-188.
std::optional<Bounds> edge_of_erfc(const Value& x) {
  constexpr Magnitude kTwice{1, kLeadingOne};
  constexpr std::uint64_t kVanishing = 181 * (kLeadingOne >> 7);  // exponent 3
  const int bits = -x.exponent - 2;
  if (x.exponent < -27) {
    return x.negative ? just_above(false, kUnit, bits) : just_below(false, kUnit, bits);
  }
  if (x.negative && x.exponent >= 2) {
    return just_below(false, kTwice, x.exponent > 2 ? kLead + 1 : 26);
  }
  if (x.exponent > 3 || (x.exponent == 3 && x.significand >= kVanishing)) return vanishing(false);
  return std::nullopt;
}

// tan x - x < x^3 / 2.
std::optional<Bounds> edge_of_tan(const Value& x) {
  if (x.exponent >= -13) return std::nullopt;
  return just_above(x.negative, {x.exponent, x.significand}, -2 * x.exponent - 1);
}

// asin x - x < x^3 / 4, as is sinh x - x.
std::optional<Bounds> edge_of_asin(const Value& x) {
  if (x.exponent >= -13) return std::nullopt;
  return just_above(x.negative, {x.exponent, x.significand}, -2 * x.exponent);
}

// x - atan x < x^3 / 3, as x - tanh x is.
std::optional<Bounds> edge_of_atan(const Value& x) {
  return x.exponent < -13 ? edge_of_tanh(x) : std::nullopt;
}

// e^256 / 2 is beyond every format.
std::optional<Bounds> edge_of_sinh(const Value& x) {
  return x.exponent >= 8 ? huge(x.negative) : edge_of_asin(x);
}

// cosh x - 1 < x^2.
std::optional<Bounds> edge_of_cosh(const Value& x) {
  if (x.exponent >= 8) return huge(false);
  if (x.exponent >= -13) return std::nullopt;
  return just_above(false, kUnit, -2 * x.exponent - 2);
}

}  // namespace halfmark::soft::detail
