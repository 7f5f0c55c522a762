// SPDX-License-Identifier: Apache-2.0
// Encodings to numbers and back: the one unpack and the one round of the reference. Every operation
// is unpack, exact integer work, round; nothing else in the reference decides a rounding.
//
// Tininess is detected after rounding (IEEE 754-2019, 7.5): a result is tiny when, rounded to the
// format's precision with the exponent unbounded, it lies below the smallest normal number. The
// underflow flag needs tiny and inexact; flushing the result needs tiny alone.
//
// Assumptions: (1) precision at most 60 bits, so that guard and sticky bits fit beside a
// significand; (2) exponents stay far inside an int; (3) round() serves formats that have a sign
// and a zero. A format without infinity overflows to its NaN where IEEE 754 would give infinity.
#pragma once

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::soft {

// The hot functions of this room are always_inline: only inlining lets a constant row fold, and
// that is most of their speed.

enum class Kind : std::uint8_t { kZero, kFinite, kInfinity, kQuietNan, kSignalingNan };

// The place of a significand's leading one. One bit above it is free for a carry.
inline constexpr int kLead = 62;

// significand * 2^(exponent - kLead); finite ones are normalised, the leading one at kLead.
struct Value {
  Kind kind;
  bool negative;
  int exponent;
  std::uint64_t significand;

  [[nodiscard]] constexpr bool is_nan() const { return kind >= Kind::kQuietNan; }
};

// `flush_below`: with an environment that flushes operands, finite values whose exponent is less
// than this become zeros. An operation passes the exponent of the smallest normal number.
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
// the smallest normal number of both. (An fp16 subnormal is an ordinary number to an fp32 fma; a
// bf16 subnormal is not.)
[[nodiscard, gnu::always_inline]] constexpr Value unpack(const Format& f, Bits bits,
                                                         const Environment& env,
                                                         const Format& computed_in) {
  return unpack(f, bits, env, std::min(f.min_exponent(), computed_in.min_exponent()));
}

struct Shifted {
  std::uint64_t quotient;
  bool inexact;
};

// significand / 2^shift as an integer, rounded: the only place that looks at a rounding direction
// and a remainder. shift >= 1; the last bit of the significand may be sticky.
[[nodiscard, gnu::always_inline]] constexpr Shifted shift_rounded(std::uint64_t significand,
                                                                  int shift, bool negative,
                                                                  Rounding rounding) {
  if (shift > 63) {  // far below half a last place: only that it is not zero matters
    significand = 1;
    shift = 63;
  }
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = significand & (half * 2 - 1);
  const std::uint64_t quotient = significand >> shift;
  bool up = false;
  switch (rounding) {
    case Rounding::kNearEven:
      up = rest + (quotient & 1) > half;
      break;
    case Rounding::kNearAway:
      up = rest >= half;
      break;
    case Rounding::kTowardZero:
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

[[nodiscard]] constexpr Result overflowed(const Format& f, bool negative, const Environment& env) {
  const bool toward_zero = env.rounding == Rounding::kTowardZero ||
                           (env.rounding == Rounding::kDown && !negative) ||
                           (env.rounding == Rounding::kUp && negative);
  const Bits bits = toward_zero ? formats::max_finite(f, negative) : formats::infinity(f, negative);
  return {bits, kOverflow | kInexact};
}

// The part of round() for magnitudes below the smallest normal number.
[[nodiscard]] constexpr Result round_below_normal(const Format& f, bool negative, int exponent,
                                                  std::uint64_t significand,
                                                  const Environment& env) {
  const int discarded = kLead - f.fraction_bits;
  const int below = f.min_exponent() - exponent;
  const Shifted unbounded = shift_rounded(significand, discarded, negative, env.rounding);
  const bool carried = unbounded.quotient >> f.precision() != 0;
  const bool tiny = below > 1 || !carried;
  if (tiny && env.flushes_out()) return {formats::zero(f, negative), kUnderflow | kInexact};
  const Shifted kept = shift_rounded(significand, discarded + below, negative, env.rounding);
  unsigned flags = kept.inexact ? kInexact : 0u;
  if (kept.inexact && tiny) flags |= kUnderflow;
  return {formats::encode(f, negative, kept.quotient), flags};
}

// A normalised finite number (last bit sticky) to the nearest encoding in the wanted direction.
[[nodiscard, gnu::always_inline]] constexpr Result round(const Format& f, bool negative,
                                                         int exponent, std::uint64_t significand,
                                                         const Environment& env) {
  if (exponent < f.min_exponent()) [[unlikely]] {
    return round_below_normal(f, negative, exponent, significand, env);
  }
  if (exponent > f.max_exponent()) [[unlikely]]
    return overflowed(f, negative, env);
  const Shifted kept = shift_rounded(significand, kLead - f.fraction_bits, negative, env.rounding);
  // The leading one is part of the quotient, hence the - 1; a carry moves into the next binade.
  const Bits size = (Bits(exponent + f.bias - 1) << f.fraction_bits) + kept.quotient;
  if (size > formats::max_finite(f)) [[unlikely]]
    return overflowed(f, negative, env);
  return {size | (negative ? f.sign_mask() : 0), kept.inexact ? unsigned{kInexact} : 0u};
}

// Any value, the special ones included, in a format. A signaling NaN raises invalid.
[[nodiscard, gnu::always_inline]] constexpr Result round(const Format& f, const Value& value,
                                                         const Environment& env) {
  switch (value.kind) {
    case Kind::kZero:
      return {formats::zero(f, value.negative), 0};
    case Kind::kInfinity:
      // Where the format has no infinity, an infinite operand is out of range like a large one.
      return f.has_infinity() ? Result{formats::infinity(f, value.negative), 0}
                              : overflowed(f, value.negative, env);
    case Kind::kQuietNan:
      return {formats::quiet_nan(f), 0};
    case Kind::kSignalingNan:
      return {formats::quiet_nan(f), kInvalid};
    case Kind::kFinite:
      break;
  }
  return round(f, value.negative, value.exponent, value.significand, env);
}

}  // namespace halfmark::soft
