// SPDX-License-Identifier: Apache-2.0
// hypot, fmod and remainder in integers, without approximation. hypot takes the root of the sum of
// squares with a sticky remainder; remainders are exact integer residues.
#include <bit>
#include <utility>

#include "reference/soft/add_multiply.hpp"
#include "reference/soft/binary_functions.hpp"

namespace halfmark::soft {
namespace {

// All 24 bits of a significand, as an integer.
constexpr int kPlaces = 23;
std::uint64_t integer_of(const Value& x) { return x.significand >> (kLead - kPlaces); }

// The truncated root of n < 2^126, with a sticky last bit.
std::uint64_t root_sticky(Wide n) {
  Wide rest = n;
  Wide root = 0;  // times two times the current place
  for (Wide bit = Wide{1} << 124; bit != 0; bit >>= 2) {
    const Wide trial = root + bit;
    root >>= 1;
    if (trial > rest) continue;
    rest -= trial;
    root += bit;
  }
  return static_cast<std::uint64_t>(root) | (rest != 0 ? 1U : 0U);
}

// When the smaller side is more than 38 binades below the larger, its square adds less than one
// place of a 62-bit result.
constexpr int kFarApart = 38;

Result finite_hypot(const Format& f, Value x, Value y, const Environment& env) {
  if (x.exponent < y.exponent) std::swap(x, y);
  const int apart = x.exponent - y.exponent;
  if (apart > kFarApart) return round(f, false, x.exponent, x.significand | 1, env);
  const Wide greater = Wide{integer_of(x)} << apart;
  const Wide lesser = integer_of(y);
  // In units of 2^(2 (y.exponent - 23)), at most 2^125. An even shift puts the root's leading one
  // at kLead.
  Wide sum = greater * greater + lesser * lesser;
  int places = 0;
  for (; sum >> 124 == 0; sum <<= 2) ++places;
  return round(f, false, y.exponent - kPlaces - places + kLead, root_sticky(sum), env);
}

// x modulo 2 y, for integers x = `integer` 2^places.
std::uint64_t residue(std::uint64_t integer, int places, std::uint64_t twice) {
  std::uint64_t rest = integer % twice;
  for (; places > 0; --places) {
    rest <<= 1;
    if (rest >= twice) rest -= twice;
  }
  return rest;
}

// |x| - n |y|, n rounded to nearest even if `nearest`, else truncated.
Result finite_remainder(const Format& f, const Value& x, const Value& y, bool nearest,
                        const Environment& env) {
  const int apart = x.exponent - y.exponent;
  if (apart < -1) return round(f, x, env);
  // In units of half of y's last place, so that an x one binade below is an integer.
  const std::uint64_t divisor = 2 * integer_of(y);
  const std::uint64_t dividend = apart < 0 ? integer_of(x) : 2 * integer_of(x);
  std::uint64_t rest = residue(dividend, apart, 2 * divisor);
  const bool odd = rest >= divisor;
  if (odd) rest -= divisor;
  bool negative = x.negative;
  if (nearest && (2 * rest > divisor || (2 * rest == divisor && odd))) {
    rest = divisor - rest;
    negative = !negative;
  }
  if (rest == 0) return zero_result(f, x.negative);
  const int up = std::countl_zero(rest) - 1;
  return round(f, negative, y.exponent - kPlaces - 1 + kLead - up, rest << up, env);
}

Result remainder_of(const Format& f, Bits a, Bits b, bool nearest, const Environment& env) {
  const Value x = unpack(f, a, env);
  const Value y = unpack(f, b, env);
  if (x.is_nan() || y.is_nan()) return nan_result(f, detail::any_signaling(x, y));
  if (x.kind == Kind::kInfinity || y.kind == Kind::kZero) return nan_result(f, true);
  if (x.kind == Kind::kZero || y.kind == Kind::kInfinity) return round(f, x, env);
  return finite_remainder(f, x, y, nearest, env);
}

}  // namespace

Result hypot(const Format& f, Bits a, Bits b, const Environment& env) {
  Value x = unpack(f, a, env);
  Value y = unpack(f, b, env);
  if (detail::any_signaling(x, y)) return nan_result(f, true);
  x.negative = y.negative = false;
  if (x.kind == Kind::kInfinity) return round(f, x, env);
  if (y.kind == Kind::kInfinity) return round(f, y, env);
  if (x.is_nan() || y.is_nan()) return nan_result(f, false);
  if (x.kind == Kind::kZero) return round(f, y, env);
  if (y.kind == Kind::kZero) return round(f, x, env);
  return finite_hypot(f, x, y, env);
}

Result fmod(const Format& f, Bits a, Bits b, const Environment& env) {
  return remainder_of(f, a, b, false, env);
}

Result remainder(const Format& f, Bits a, Bits b, const Environment& env) {
  return remainder_of(f, a, b, true, env);
}

}  // namespace halfmark::soft
