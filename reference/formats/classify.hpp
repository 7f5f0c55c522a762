// SPDX-License-Identifier: Apache-2.0
// The class of an encoding, and the encodings that have names (zero, infinity, the largest finite
// number, ...). This file decides nothing about arithmetic.
//
// It does decide the substitutes: in a format without NaN the largest finite number stands for the
// default quiet NaN, and in a format without zero its smallest number stands for zero.
//
// Assumptions: a NaN is quiet when its top fraction bit is set (IEEE 754-2019, 6.2.1); formats with
// a single NaN have a quiet one; a format without zero has no subnormal numbers.
//
// The smallest functions are inlined at every level of optimisation: a program has one copy of the
// arithmetic above them, and a test's copy is not fully optimised.
#pragma once

#include "reference/formats/format.hpp"

namespace halfmark::formats {

enum class Class : std::uint8_t { kZero, kSubnormal, kNormal, kInfinity, kQuietNan, kSignalingNan };

[[nodiscard, gnu::always_inline]] constexpr bool sign(const Format& f, Bits bits) {
  return (bits & f.sign_mask()) != 0;
}
[[nodiscard, gnu::always_inline]] constexpr Bits magnitude(const Format& f, Bits bits) {
  return bits & f.magnitude_mask();
}
[[nodiscard, gnu::always_inline]] constexpr int exponent_field(const Format& f, Bits bits) {
  return static_cast<int>(magnitude(f, bits) >> f.fraction_bits);
}
[[nodiscard, gnu::always_inline]] constexpr Bits fraction_field(const Format& f, Bits bits) {
  return bits & f.fraction_mask();
}

// A format without zero gives its smallest number; one without minus zero gives its only zero.
[[nodiscard, gnu::always_inline]] constexpr Bits zero(const Format& f, bool negative = false) {
  return negative && f.non_finite != NonFinite::kNanMinusZero ? f.sign_mask() : 0;
}

// Combines a sign and a magnitude; a magnitude of zero follows the rule of zero().
[[nodiscard, gnu::always_inline]] constexpr Bits encode(const Format& f, bool negative,
                                                        Bits magnitude_bits) {
  if (magnitude_bits == 0) return zero(f, negative);
  return magnitude_bits | (negative ? f.sign_mask() : 0);
}

[[nodiscard]] constexpr Bits max_finite(const Format& f, bool negative = false) {
  Bits top = f.magnitude_mask();
  if (f.has_infinity()) top = (Bits(f.max_exponent_field()) << f.fraction_bits) - 1;
  if (f.non_finite == NonFinite::kNanAllOnes) top -= 1;
  return encode(f, negative, top);
}

// The default quiet NaN, which every operation of this reference returns.
[[nodiscard]] constexpr Bits quiet_nan(const Format& f) {
  if (f.non_finite == NonFinite::kNone) return max_finite(f);
  if (f.non_finite == NonFinite::kNanMinusZero) return f.sign_mask();
  if (f.non_finite == NonFinite::kNanAllOnes) return f.magnitude_mask();
  return (Bits(f.max_exponent_field()) << f.fraction_bits) | (Bits{1} << (f.fraction_bits - 1));
}

// Formats without infinity give their NaN instead, and formats with neither give the largest
// finite number.
[[nodiscard]] constexpr Bits infinity(const Format& f, bool negative = false) {
  if (f.non_finite == NonFinite::kNone) return max_finite(f, negative);
  if (!f.has_infinity()) return quiet_nan(f);
  return encode(f, negative, Bits(f.max_exponent_field()) << f.fraction_bits);
}

[[nodiscard]] constexpr Bits min_normal(const Format& f, bool negative = false) {
  return encode(f, negative, f.has_zero ? Bits{1} << f.fraction_bits : 0);
}
// The smallest number above zero: the smallest normal number in formats without subnormals.
[[nodiscard]] constexpr Bits min_subnormal(const Format& f, bool negative = false) {
  return encode(f, negative, f.has_zero ? 1 : 0);
}
// The encoding of 1.
[[nodiscard]] constexpr Bits one(const Format& f, bool negative = false) {
  return encode(f, negative, Bits(f.bias) << f.fraction_bits);
}

[[nodiscard]] constexpr Class classify(const Format& f, Bits bits) {
  const Bits size = magnitude(f, bits);
  if (f.non_finite == NonFinite::kNanMinusZero && bits == f.sign_mask()) return Class::kQuietNan;
  if (f.non_finite == NonFinite::kNanAllOnes && size == f.magnitude_mask()) return Class::kQuietNan;
  if (f.has_infinity() && exponent_field(f, bits) == f.max_exponent_field()) {
    if (fraction_field(f, bits) == 0) return Class::kInfinity;
    const bool quiet = (bits >> (f.fraction_bits - 1) & 1) != 0;
    return quiet ? Class::kQuietNan : Class::kSignalingNan;
  }
  if (!f.has_zero || exponent_field(f, bits) != 0) return Class::kNormal;
  return size == 0 ? Class::kZero : Class::kSubnormal;
}

[[nodiscard]] constexpr bool is_nan(const Format& f, Bits bits) {
  switch (f.non_finite) {
    case NonFinite::kIeee:
      return magnitude(f, bits) > Bits(f.max_exponent_field()) << f.fraction_bits;
    case NonFinite::kNanAllOnes:
      return magnitude(f, bits) == f.magnitude_mask();
    case NonFinite::kNanMinusZero:
      return bits == f.sign_mask();
    case NonFinite::kNone:
      break;
  }
  return false;
}
[[nodiscard]] constexpr bool is_signaling(const Format& f, Bits bits) {
  return classify(f, bits) == Class::kSignalingNan;
}
[[nodiscard]] constexpr bool is_infinity(const Format& f, Bits bits) {
  return f.has_infinity() && magnitude(f, bits) == Bits(f.max_exponent_field()) << f.fraction_bits;
}
[[nodiscard]] constexpr bool is_finite(const Format& f, Bits bits) {
  return !is_nan(f, bits) && !is_infinity(f, bits);
}
[[nodiscard]] constexpr bool is_subnormal(const Format& f, Bits bits) {
  return classify(f, bits) == Class::kSubnormal;
}
[[nodiscard]] constexpr bool is_zero(const Format& f, Bits bits) {
  return f.has_zero && magnitude(f, bits) == 0 && !is_nan(f, bits);
}

}  // namespace halfmark::formats
