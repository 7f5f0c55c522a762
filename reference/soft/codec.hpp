// SPDX-License-Identifier: Apache-2.0
// Converts encodings to numbers and back: the only unpack and the only round of the reference.
// Every operation unpacks, works on exact integers and rounds; no other code in the reference
// decides a rounding.
//
// Tininess is detected after rounding (IEEE 754-2019, 7.5): a result is tiny when, rounded to the
// format's precision with unbounded exponent, it lies below the smallest normal number. The
// underflow flag requires a tiny and inexact result; flushing requires only a tiny one.
//
// Stochastic rounding follows the same rules: the same random number decides the result, whether it
// is tiny and whether it overflows. An exact result never changes; every inexact one raises
// inexact, whichever neighbour was chosen.
//
// Where a format cannot represent the result, this file decides:
//  - beyond the largest finite number: Environment::overflow applies, with overflow and inexact; it
//    also applies to an infinite result where infinities do not exist or saturate;
//  - a NaN in a format without NaN: the largest finite number, with invalid;
//  - zero, or less than the smallest number, in a format without zero: the smallest number, with
//    inexact, and with underflow when the result was zero or tiny;
//  - a negative number in a format without sign: the NaN, with invalid (minus zero becomes zero);
//  - minus zero in a format without it: zero, with no flag.
//
// Assumptions: (1) precision is at most 60 bits, so that guard and sticky bits fit in the word with
// the significand; (2) exponents stay far inside the range of an int.
#pragma once

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::soft {

// The hot functions of reference/soft are always_inline: only inlining lets the compiler fold a
// constant format, which is most of their speed.

enum class Kind : std::uint8_t { kZero, kFinite, kInfinity, kQuietNan, kSignalingNan };

// The bit position of a significand's leading one. One bit above it is free for a carry.
inline constexpr int kLead = 62;

// significand * 2^(exponent - kLead). Finite values are normalised: the leading one is at kLead.
struct Value {
  Kind kind;
  bool negative;
  int exponent;
  std::uint64_t significand;

  [[nodiscard]] constexpr bool is_nan() const { return kind >= Kind::kQuietNan; }
};

// When the environment flushes operands, finite values whose exponent is less than `flush_below`
// become zeros. An operation passes the exponent of the smallest normal number.
[[nodiscard, gnu::always_inline]] constexpr Value unpack(const Format& f, Bits bits,
                                                         const Environment& env, int flush_below) {
  const bool negative = formats::sign(f, bits);
  const int field = formats::exponent_field(f, bits);
  const Bits fraction = formats::fraction_field(f, bits);
  if (field == f.max_exponent_field() || field == 0) [[unlikely]] {
    switch (formats::classify(f, bits)) {
      case formats::Class::kZero:
        return {Kind::kZero, negative, 0, 0};
      case formats::Class::kInfinity:
        return {Kind::kInfinity, negative, 0, 0};
      case formats::Class::kQuietNan:
        return {Kind::kQuietNan, negative, 0, 0};
      case formats::Class::kSignalingNan:
        return {Kind::kSignalingNan, negative, 0, 0};
      case formats::Class::kSubnormal: {
        const int shift = std::countl_zero(fraction) - (63 - kLead);
        const int exponent = f.min_place() + kLead - shift;
        if (env.flushes_in() && exponent < flush_below) return {Kind::kZero, negative, 0, 0};
        return {Kind::kFinite, negative, exponent, fraction << shift};
      }
      case formats::Class::kNormal:
        break;
    }
  }
  const int exponent = field - f.bias;
  if (env.flushes_in() && exponent < flush_below) return {Kind::kZero, negative, 0, 0};
  const Bits integer = fraction | Bits{1} << f.fraction_bits;
  return {Kind::kFinite, negative, exponent, integer << (kLead - f.fraction_bits)};
}

[[nodiscard, gnu::always_inline]] constexpr Value unpack(const Format& f, Bits bits,
                                                         const Environment& env = {}) {
  return unpack(f, bits, env, f.min_exponent());
}

// An operand of an operation computed in another format: it counts as subnormal when it lies below
// the smallest normal numbers of both formats. (An fp16 subnormal is an ordinary number to an fp32
// fma; a bf16 subnormal is not.)
[[nodiscard, gnu::always_inline]] constexpr Value unpack(const Format& f, Bits bits,
                                                         const Environment& env,
                                                         const Format& computed_in) {
  return unpack(f, bits, env, std::min(f.min_exponent(), computed_in.min_exponent()));
}

struct Shifted {
  std::uint64_t quotient;
  bool inexact;
};

// Stochastic rounding needs as many exact places below the result's last place as there are random
// bits, and below those the sticky place and one that normalising a difference can lose. That
// allows 32 random bits, for fp64 8.
[[nodiscard]] constexpr int max_random_bits(const Format& f) {
  return std::min(32, kLead - 2 - f.fraction_bits);
}

// Whether the discarded low `shift` bits carry into the place above them; 1 <= shift.
[[nodiscard]] constexpr bool carries_stochastic(std::uint64_t significand, int shift,
                                                const Environment& env) {
  if (env.random_bits == 0) return false;
  const std::uint64_t discarded =
      shift > 63 ? significand : significand & ((std::uint64_t{1} << shift) - 1);
  const int drop = shift - env.random_bits;
  std::uint64_t cut = 0;  // discarded * 2^random_bits / 2^shift, truncated
  if (drop <= 0) cut = discarded << -drop;
  if (drop > 0 && drop < 64) cut = discarded >> drop;
  return (cut + env.random) >> env.random_bits != 0;
}

// significand / 2^shift, rounded to an integer: the only code that looks at a rounding direction
// and a remainder. shift >= 1; the last bit of the significand may be sticky.
[[nodiscard, gnu::always_inline]] constexpr Shifted shift_rounded(std::uint64_t significand,
                                                                  int shift, bool negative,
                                                                  const Environment& env) {
  if (env.rounding == Rounding::kStochastic) [[unlikely]] {
    const bool up = carries_stochastic(significand, shift, env);
    const std::uint64_t quotient = shift > 63 ? 0 : significand >> shift;
    const bool inexact = shift > 63 || (quotient << shift) != significand;
    return {quotient + (up ? 1 : 0), inexact};
  }
  if (shift > 63) {  // far below half a last place: only whether it is nonzero matters
    significand = 1;
    shift = 63;
  }
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = significand & (half * 2 - 1);
  const std::uint64_t quotient = significand >> shift;
  bool up = false;
  switch (env.rounding) {
    case Rounding::kNearEven:
      up = rest + (quotient & 1) > half;
      break;
    case Rounding::kNearAway:
      up = rest >= half;
      break;
    case Rounding::kTowardZero:
    case Rounding::kStochastic:
      break;
    case Rounding::kDown:
      up = negative && rest != 0;
      break;
    case Rounding::kUp:
      up = !negative && rest != 0;
      break;
  }
  return {quotient + (up ? 1 : 0), rest != 0};
}

// The default quiet NaN. A format without one raises invalid.
[[nodiscard]] constexpr Result nan_result(const Format& f, bool invalid) {
  const bool absent = f.non_finite == formats::NonFinite::kNone;
  return {formats::quiet_nan(f), invalid || absent ? unsigned{kInvalid} : 0u};
}

// A zero with the given sign; in a format without zero the smallest number, which is inexact.
[[nodiscard]] constexpr Result zero_result(const Format& f, bool negative) {
  return {formats::zero(f, negative), f.has_zero ? 0u : kUnderflow | kInexact};
}

[[nodiscard]] constexpr Result overflowed(const Format& f, bool negative, const Environment& env) {
  const bool cut = env.rounding == Rounding::kTowardZero ||
                   env.rounding == (negative ? Rounding::kUp : Rounding::kDown) ||
                   env.overflow == Overflow::kSaturate;
  const Bits bits = cut ? formats::max_finite(f, negative) : formats::infinity(f, negative);
  return {bits, kOverflow | kInexact};
}

// round() for magnitudes below the smallest normal number.
[[nodiscard]] constexpr Result round_below_normal(const Format& f, bool negative, int exponent,
                                                  std::uint64_t significand,
                                                  const Environment& env) {
  const int discarded = kLead - f.fraction_bits;
  const int below = f.min_exponent() - exponent;
  const Shifted unbounded = shift_rounded(significand, discarded, negative, env);
  const bool carried = unbounded.quotient >> f.precision() != 0;
  const bool tiny = below > 1 || !carried;
  const unsigned lost = kInexact | (tiny ? unsigned{kUnderflow} : 0u);
  if (!f.has_zero || (tiny && env.flushes_out())) return {formats::zero(f, negative), lost};
  const Shifted kept = shift_rounded(significand, discarded + below, negative, env);
  return {formats::encode(f, negative, kept.quotient), kept.inexact ? lost : 0u};
}

// Rounds a normalised finite number (its last bit sticky) to an encoding.
[[nodiscard, gnu::always_inline]] constexpr Result round(const Format& f, bool negative,
                                                         int exponent, std::uint64_t significand,
                                                         const Environment& env) {
  if (negative && !f.has_sign) [[unlikely]]
    return nan_result(f, true);
  if (exponent < f.min_exponent()) [[unlikely]] {
    return round_below_normal(f, negative, exponent, significand, env);
  }
  if (exponent > f.max_exponent()) [[unlikely]]
    return overflowed(f, negative, env);
  const Shifted kept = shift_rounded(significand, kLead - f.fraction_bits, negative, env);
  // The leading one is part of the quotient, hence the - 1; a carry moves to the next binade.
  const Bits size = (Bits(exponent + f.bias - 1) << f.fraction_bits) + kept.quotient;
  if (size > formats::max_finite(f)) [[unlikely]]
    return overflowed(f, negative, env);
  return {size | (negative ? f.sign_mask() : 0), kept.inexact ? unsigned{kInexact} : 0u};
}

// Rounds any value, special values included, to a format. A signaling NaN raises invalid.
[[nodiscard, gnu::always_inline]] constexpr Result round(const Format& f, const Value& value,
                                                         const Environment& env) {
  switch (value.kind) {
    case Kind::kZero:
      return zero_result(f, value.negative);
    case Kind::kInfinity:
      if (value.negative && !f.has_sign) return nan_result(f, true);
      if (!f.has_infinity() || env.overflow == Overflow::kSaturate) {
        return overflowed(f, value.negative, env);
      }
      return {formats::infinity(f, value.negative), 0};
    case Kind::kQuietNan:
      return nan_result(f, false);
    case Kind::kSignalingNan:
      return nan_result(f, true);
    case Kind::kFinite:
      break;
  }
  return round(f, value.negative, value.exponent, value.significand, env);
}

}  // namespace halfmark::soft
