// SPDX-License-Identifier: Apache-2.0
// pow, powr and atan2 by Ziv's strategy (functions.cpp), after special values and after operands
// whose value is representable or halfway between representable numbers:
//   a^b    with a = m 2^e and b = n 2^k, m and n odd. Where k < 0, every prime of a must occur
//          2^-k-fold times as often, because n is odd: so roots of a are taken until b is an
//          integer, or the value is irrational. Then m^b is an integer with b log2(m) bits, or, for
//          b < 0, a fraction with odd denominator, which is dyadic only for m = 1. A number of more
//          than 62 bits is neither representable nor a midpoint, in stochastic rounding either.
//   atan2  zeros: elsewhere the angle is transcendental (Lindemann), being a multiple of pi/2 plus
//          or minus the arc tangent of an algebraic number
// No known theorem says that 768 bits decide every other a^b: on a pair that they do not decide,
// the program aborts.
#include "reference/soft/binary_functions.hpp"

#include <bit>

#include "reference/soft/add_multiply.hpp"
#include "reference/soft/functions_edges.hpp"

namespace halfmark::soft {
namespace detail {
namespace {

constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kLead;
constexpr int kMostBits = 62;
constexpr int kBeyond = 1 << 20;  // an exponent beyond every format

bool is_unit(const Value& x) {
  return x.kind == Kind::kFinite && x.exponent == 0 && x.significand == kLeadingOne;
}
Value infinite(bool negative) { return {Kind::kInfinity, negative, 0, 0}; }
Result one(const Format& f, bool negative, const Environment& env) {
  return round(f, negative, 0, kLeadingOne, env);
}

// --- a^b -----------------------------------------------------------------------------------------

enum class Parity : std::uint8_t { kNoInteger, kEven, kOdd };

Parity parity_of(const Value& y) {
  if (y.kind != Kind::kFinite) return Parity::kEven;
  const int place = y.exponent - kLead + std::countr_zero(y.significand);
  if (place < 0) return Parity::kNoInteger;
  return place == 0 ? Parity::kOdd : Parity::kEven;
}

std::uint64_t square_root(std::uint64_t n) {  // requires n < 2^62; truncated
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 30; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= n) root += bit;
  }
  return root;
}

// m 2^e, m odd
struct Dyadic {
  std::uint64_t odd;
  int place;
};

// The 2^count-th root of |x| if it is dyadic, else nothing.
std::optional<Dyadic> repeated_root(const Value& x, int count) {
  const int zeros = std::countr_zero(x.significand);
  Dyadic root{x.significand >> zeros, x.exponent - kLead + zeros};
  for (; count > 0; --count) {
    const std::uint64_t odd = square_root(root.odd);
    if (root.place % 2 != 0 || odd * odd != root.odd) return std::nullopt;
    root = {odd, root.place / 2};
  }
  return root;
}

// Requires |x| other than 1. From n = 2^9 on, a power of two is beyond every format.
std::optional<Result> exact_pow(const Format& f, bool negative, const Value& x, const Value& y,
                                const Environment& env) {
  const int zeros = std::countr_zero(y.significand);
  const int place = y.exponent - kLead + zeros;
  const std::optional<Dyadic> base = repeated_root(x, place < 0 ? -place : 0);
  if (!base) return std::nullopt;
  const std::uint64_t odd = y.significand >> zeros;
  const bool large = place > 8 || odd >> 12 != 0;
  const int n = large ? kBeyond : static_cast<int>(odd << (place > 0 ? place : 0));
  if (base->odd == 1) {
    const int exponent = large ? (base->place < 0 ? -kBeyond : kBeyond) : base->place * n;
    return round(f, negative, y.negative ? -exponent : exponent, kLeadingOne, env);
  }
  if (y.negative || n > kMostBits) return std::nullopt;
  std::uint64_t power = 1;
  for (int i = 0; i < n; ++i) {
    if (power > (kLeadingOne - 1) / base->odd) return std::nullopt;
    power *= base->odd;
  }
  const int up = std::countl_zero(power) - 1;
  return round(f, negative, base->place * n + kLead - up, power << up, env);
}

Result finite_pow(const Format& f, bool negative, const Value& x, const Value& y,
                  const Environment& env) {
  if (is_unit(x)) return one(f, negative, env);
  if (const auto exact = exact_pow(f, negative, x, y, env)) return *exact;
  Bounds known = fast_pow(x, y);
  known.negative = negative;
  return first_decided(f, known, env, [&](int limbs) { return wide_pow(x, y, limbs); });
}

// Compares |x| with 1: negative, zero or positive.
int beside_one(const Value& x) {
  if (x.kind == Kind::kZero) return -1;
  if (x.kind == Kind::kInfinity) return 1;
  if (is_unit(x)) return 0;
  return x.exponent < 0 ? -1 : 1;
}

// |x|^infinity, or its inverse.
Result infinite_pow(const Format& f, const Value& x, bool inverse, const Environment& env) {
  const int beside = beside_one(x);
  if (beside == 0) return one(f, false, env);
  if ((beside > 0) == inverse) return zero_result(f, false);
  return round(f, infinite(false), env);
}

// Requires that neither operand is a NaN, y is nonzero and x is not 1.
Result numeric_pow(const Format& f, const Value& x, const Value& y, const Environment& env) {
  if (y.kind == Kind::kInfinity) return infinite_pow(f, x, y.negative, env);
  const Parity parity = parity_of(y);
  const bool negative = x.negative && parity == Parity::kOdd;
  if (x.kind == Kind::kZero) return y.negative ? pole(f, negative, env) : zero_result(f, negative);
  if (x.kind == Kind::kInfinity) {
    return y.negative ? zero_result(f, negative) : round(f, infinite(negative), env);
  }
  if (x.negative && parity == Parity::kNoInteger) return nan_result(f, true);
  return finite_pow(f, negative, x, y, env);
}

// --- angles --------------------------------------------------------------------------------------

// n pi/4
Result quarters(const Format& f, bool negative, std::uint64_t n, const Environment& env) {
  const Leading angle = constants(kPrecisions[0]).half_pi.times(n).shifted(-1).low();
  return round(f, negative, angle.exponent, angle.significand | 1, env);
}

// y / x for angles that differ from their tangent by less than 2^-87 of it. If the quotient
// terminates, the angle is just below it; else it is at least 2^-86 from every number of 62 bits.
constexpr int kTiny = -44;
std::optional<Bounds> tiny_angle(const Value& y, const Value& x) {
  if (x.negative || y.exponent - x.exponent > kTiny) return std::nullopt;
  __extension__ using Wide = unsigned __int128;
  const Wide dividend = Wide{y.significand} << 63;
  auto quotient = static_cast<std::uint64_t>(dividend / x.significand);  // from 2^62 to 2^64
  const bool exact = Wide{quotient} * x.significand == dividend;
  const int carry = static_cast<int>(quotient >> 63);
  quotient >>= carry;
  const int exponent = y.exponent - x.exponent - 1 + carry;
  if (exact) return edge_of_atan({Kind::kFinite, y.negative, exponent, quotient});
  return Bounds{y.negative, {exponent, quotient | 1}, {exponent, quotient | 1}};
}

Result finite_atan2(const Format& f, const Value& y, const Value& x, const Environment& env) {
  const std::optional<Bounds> tiny = tiny_angle(y, x);
  return first_decided(f, tiny ? *tiny : fast_atan2(y, x), env,
                       [&](int limbs) { return wide_atan2(y, x, limbs); });
}

// --- special values ------------------------------------------------------------------------------

Result pow_of(const Format& f, const Value& x, const Value& y, const Environment& env) {
  if (any_signaling(x, y)) return nan_result(f, true);
  if (y.kind == Kind::kZero || (is_unit(x) && !x.negative)) return one(f, false, env);
  if (x.is_nan() || y.is_nan()) return nan_result(f, false);
  return numeric_pow(f, x, y, env);
}

Result powr_of(const Format& f, Value x, const Value& y, const Environment& env) {
  if (x.is_nan() || y.is_nan()) return nan_result(f, any_signaling(x, y));
  const bool zero = x.kind == Kind::kZero;
  if (zero) x.negative = false;
  if (x.negative) return nan_result(f, true);
  if (y.kind == Kind::kZero && (zero || x.kind == Kind::kInfinity)) return nan_result(f, true);
  if (y.kind == Kind::kInfinity && is_unit(x)) return nan_result(f, true);
  if (y.kind == Kind::kZero || is_unit(x)) return one(f, false, env);
  return numeric_pow(f, x, y, env);
}

Result atan2_of(const Format& f, const Value& y, const Value& x, const Environment& env) {
  if (x.is_nan() || y.is_nan()) return nan_result(f, any_signaling(x, y));
  const bool on_axis = y.kind == Kind::kZero || (x.kind == Kind::kInfinity && y.kind != x.kind);
  if (on_axis) {
    return x.negative ? quarters(f, y.negative, 4, env) : zero_result(f, y.negative);
  }
  if (y.kind == Kind::kInfinity && x.kind == Kind::kInfinity) {
    return quarters(f, y.negative, x.negative ? 3 : 1, env);
  }
  if (y.kind == Kind::kInfinity || x.kind == Kind::kZero) return quarters(f, y.negative, 2, env);
  return finite_atan2(f, y, x, env);
}

}  // namespace
}  // namespace detail

Result pow(const Format& f, Bits a, Bits b, const Environment& env) {
  return detail::pow_of(f, unpack(f, a, env), unpack(f, b, env), env);
}
Result powr(const Format& f, Bits a, Bits b, const Environment& env) {
  return detail::powr_of(f, unpack(f, a, env), unpack(f, b, env), env);
}
Result atan2(const Format& f, Bits a, Bits b, const Environment& env) {
  return detail::atan2_of(f, unpack(f, a, env), unpack(f, b, env), env);
}

}  // namespace halfmark::soft
