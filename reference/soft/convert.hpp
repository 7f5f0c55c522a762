// SPDX-License-Identifier: Apache-2.0
// Operations on one value: conversion between formats and to and from integers, rounding to an
// integer, scaling by a power of two, and changes of sign.
#pragma once

#include <limits>

#include "reference/soft/codec.hpp"

namespace halfmark::soft {

// convertFormat. The source format defines which operands are subnormal, the target format which
// results are tiny.
[[nodiscard, gnu::always_inline]] constexpr Result convert(const Format& from, const Format& to,
                                                           Bits a, const Environment& env = {}) {
  return round(to, unpack(from, a, env), env);
}

// Converts an integer, rounded once.
[[nodiscard]] constexpr Result from_int(const Format& f, std::int64_t integer,
                                        const Environment& env = {}) {
  if (integer == 0) return zero_result(f, false);
  const bool negative = integer < 0;
  const auto bits = static_cast<std::uint64_t>(integer);
  const std::uint64_t size = negative ? 0 - bits : bits;
  const int zeros = std::countl_zero(size);
  // Only |-2^63| has its leading one above kLead; the bit shifted out is a zero.
  const std::uint64_t significand = zeros == 0 ? size >> 1 : size << (zeros - 1);
  return round(f, negative, 63 - zeros, significand, env);
}

// roundToIntegralExact: rounds to an integer in the environment's direction. A zero keeps the
// operand's sign; a result that differs from the operand raises inexact.
[[nodiscard]] constexpr Result rint(const Format& f, Bits a, const Environment& env = {}) {
  const Value value = unpack(f, a, env);
  if (value.kind != Kind::kFinite || value.exponent >= f.fraction_bits) {
    return round(f, value, env);
  }
  const Shifted kept =
      shift_rounded(value.significand, kLead - value.exponent, value.negative, env);
  const unsigned flags = kept.inexact ? unsigned{kInexact} : 0u;
  const auto integer = static_cast<std::int64_t>(kept.quotient);
  // Only in a format whose range ends below its first integers (e2m3) does this pass the largest
  // finite number.
  const Result whole = integer == 0 ? zero_result(f, value.negative)
                                    : from_int(f, value.negative ? -integer : integer, env);
  return {whole.bits, whole.flags | flags};
}

// scaleB: a * 2^n rounded once.
[[nodiscard]] constexpr Result ldexp(const Format& f, Bits a, std::int32_t n,
                                     const Environment& env = {}) {
  Value value = unpack(f, a, env);
  // Beyond this every finite number has overflowed or vanished, and exponents stay far inside the
  // range of an int.
  constexpr std::int32_t kFarEnough = 1 << 20;
  value.exponent += std::clamp(n, -kFarEnough, kFarEnough);
  return round(f, value, env);
}

// negate and abs change only the sign bit: they raise no flags, do not flush and apply to NaNs
// too (5.5.1). In formats without minus zero, the zero and the NaN have no other sign and stay as
// they are.
[[nodiscard]] constexpr bool has_opposite(const Format& f, Bits a) {
  return f.non_finite != formats::NonFinite::kNanMinusZero || formats::magnitude(f, a) != 0;
}
[[nodiscard]] constexpr Bits neg(const Format& f, Bits a) {
  return has_opposite(f, a) ? a ^ f.sign_mask() : a;
}
[[nodiscard]] constexpr Bits abs(const Format& f, Bits a) {
  return has_opposite(f, a) ? a & ~f.sign_mask() : a;
}

}  // namespace halfmark::soft
