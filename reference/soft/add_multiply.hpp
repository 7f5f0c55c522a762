// SPDX-License-Identifier: Apache-2.0
// Addition, subtraction, multiplication and fused multiply-add, each rounded once.
//
// Mixed forms take exact operands of other formats and round once to the result's format.
//
// Where IEEE 754-2019 leaves a choice, this file decides: every NaN result is the default quiet
// NaN, and fma(0, infinity, quiet NaN) raises invalid (7.2 c).
#pragma once

#include "reference/soft/codec.hpp"

namespace halfmark::soft {

__extension__ using Wide = unsigned __int128;

namespace detail {

[[nodiscard]] constexpr int leading_zeros(std::uint64_t word) { return std::countl_zero(word); }
[[nodiscard]] constexpr int leading_zeros(Wide word) {
  const auto high = static_cast<std::uint64_t>(word >> 64);
  return high != 0 ? std::countl_zero(high)
                   : 64 + std::countl_zero(static_cast<std::uint64_t>(word));
}

// word / 2^shift; the last bit is sticky: it collects every bit shifted out.
template <typename Word>
[[nodiscard, gnu::always_inline]] constexpr Word shift_right_sticky(Word word, int shift) {
  constexpr int kWidth = 8 * int{sizeof(Word)};
  if (shift >= kWidth) return word != 0 ? 1 : 0;
  const Word kept = word >> shift;
  return kept | static_cast<Word>((kept << shift) != word ? 1 : 0);
}

// A magnitude in a word whose leading one is the second highest bit.
template <typename Word>
struct Term {
  bool negative;
  int exponent;
  Word magnitude;
};

[[nodiscard, gnu::always_inline]] constexpr std::uint64_t to_significand(std::uint64_t word) {
  return word;
}
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t to_significand(Wide word) {
  const auto low = static_cast<std::uint64_t>(word);
  return static_cast<std::uint64_t>(word >> 64) | (low != 0 ? 1 : 0);
}

// The sign of a zero sum (IEEE 754-2019, 6.3).
[[nodiscard]] constexpr Result zero_sum(const Format& f, bool a_negative, bool b_negative,
                                        const Environment& env) {
  const bool negative = a_negative == b_negative ? a_negative : env.rounding == Rounding::kDown;
  return zero_result(f, negative);
}

// The rounded sum of two finite terms. Sticky shifting is exact enough: bits are lost only from the
// term that is so much smaller that the sum keeps at least precision + 2 places above them.
template <typename Word>
[[nodiscard, gnu::always_inline]] constexpr Result sum(const Format& f, Term<Word> a, Term<Word> b,
                                                       const Environment& env) {
  if (a.exponent < b.exponent) std::swap(a, b);
  const Word aligned = shift_right_sticky(b.magnitude, a.exponent - b.exponent);
  bool negative = a.negative;
  int exponent = a.exponent;
  Word total = 0;
  if (a.negative == b.negative) {
    total = a.magnitude + aligned;
  } else if (a.magnitude >= aligned) {
    total = a.magnitude - aligned;
    if (total == 0) return zero_sum(f, a.negative, b.negative, env);
  } else {
    total = aligned - a.magnitude;
    negative = b.negative;
  }
  const int zeros = leading_zeros(total);
  exponent += 1 - zeros;
  total = zeros == 0 ? (total >> 1 | (total & 1)) : total << (zeros - 1);
  return round(f, negative, exponent, to_significand(total), env);
}

[[nodiscard]] constexpr bool any_signaling(const Value& a, const Value& b) {
  return a.kind == Kind::kSignalingNan || b.kind == Kind::kSignalingNan;
}

// Sums in which at least one operand is zero, infinite or NaN.
[[nodiscard]] constexpr Result special_sum(const Format& f, const Value& a, const Value& b,
                                           const Environment& env) {
  if (a.is_nan() || b.is_nan()) return nan_result(f, any_signaling(a, b));
  if (a.kind == Kind::kInfinity && b.kind == Kind::kInfinity && a.negative != b.negative) {
    return nan_result(f, true);
  }
  if (a.kind == Kind::kInfinity) return round(f, a, env);
  if (b.kind == Kind::kInfinity) return round(f, b, env);
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    return zero_sum(f, a.negative, b.negative, env);
  }
  return round(f, a.kind == Kind::kZero ? b : a, env);
}

[[nodiscard]] constexpr bool is_invalid_product(const Value& a, const Value& b) {
  return (a.kind == Kind::kZero && b.kind == Kind::kInfinity) ||
         (a.kind == Kind::kInfinity && b.kind == Kind::kZero);
}

[[nodiscard]] constexpr Result special_product(const Format& f, const Value& a, const Value& b,
                                               const Environment& env) {
  if (a.is_nan() || b.is_nan()) return nan_result(f, any_signaling(a, b));
  if (is_invalid_product(a, b)) return nan_result(f, true);
  const bool negative = a.negative != b.negative;
  const bool infinite = a.kind == Kind::kInfinity || b.kind == Kind::kInfinity;
  return round(f, Value{infinite ? Kind::kInfinity : Kind::kZero, negative, 0, 0}, env);
}

// The exact product of two finite values as a term. Half-width factors (precision 31 or less) are
// multiplied in one machine word.
template <typename Word>
[[nodiscard, gnu::always_inline]] constexpr Term<Word> product(const Value& a, const Value& b) {
  constexpr int kTop = 8 * int{sizeof(Word)} - 2;
  Word magnitude = 0;
  if constexpr (sizeof(Word) == 8) {
    magnitude = (a.significand >> 31) * (b.significand >> 32);
  } else {
    magnitude = (Word{a.significand} << 1) * b.significand;
  }
  const int carry = static_cast<int>(magnitude >> kTop);
  return {a.negative != b.negative, a.exponent + b.exponent + carry, magnitude << (1 - carry)};
}

[[nodiscard, gnu::always_inline]] constexpr bool fits_half_width(const Format& a, const Format& b) {
  return a.precision() <= 31 && b.precision() <= 31;
}

template <typename Word>
[[nodiscard, gnu::always_inline]] constexpr Term<Word> term(const Value& value) {
  constexpr int kShift = 8 * int{sizeof(Word)} - 2 - kLead;
  return {value.negative, value.exponent, Word{value.significand} << kShift};
}

[[nodiscard]] constexpr Result special_fma(const Format& f, const Value& a, const Value& b,
                                           const Value& c, const Environment& env) {
  const bool signaling = any_signaling(a, b) || c.kind == Kind::kSignalingNan;
  if (is_invalid_product(a, b)) return nan_result(f, true);
  if (a.is_nan() || b.is_nan() || c.is_nan()) return nan_result(f, signaling);
  const bool negative = a.negative != b.negative;
  if (c.kind == Kind::kZero && env.emulated_fma) {
    if (a.kind != Kind::kFinite || b.kind != Kind::kFinite) return special_product(f, a, b, env);
    const Term<Wide> kept = product<Wide>(a, b);
    Environment unflushed = env;
    unflushed.subnormals = Subnormals::kKeep;
    return round(f, negative, kept.exponent, to_significand(kept.magnitude), unflushed);
  }
  if (a.kind == Kind::kInfinity || b.kind == Kind::kInfinity) {
    return special_sum(f, {Kind::kInfinity, negative, 0, 0}, c, env);
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kZero) {
    return special_sum(f, {Kind::kZero, negative, 0, 0}, c, env);
  }
  if (c.kind == Kind::kInfinity) return round(f, c, env);
  const Term<Wide> exact = product<Wide>(a, b);
  return round(f, negative, exact.exponent, to_significand(exact.magnitude), env);
}

}  // namespace detail

// The operations on unpacked operands, for mixed formats and for loops that unpack once. `narrow`:
// both factors have a precision of at most 31 bits.
[[nodiscard, gnu::always_inline]] constexpr Result add_values(const Format& f, const Value& a,
                                                              const Value& b,
                                                              const Environment& env) {
  if (a.kind != Kind::kFinite || b.kind != Kind::kFinite) [[unlikely]] {
    return detail::special_sum(f, a, b, env);
  }
  return detail::sum(f, detail::term<std::uint64_t>(a), detail::term<std::uint64_t>(b), env);
}

[[nodiscard, gnu::always_inline]] constexpr Result mul_values(const Format& f, const Value& a,
                                                              const Value& b,
                                                              const Environment& env) {
  if (a.kind != Kind::kFinite || b.kind != Kind::kFinite) [[unlikely]] {
    return detail::special_product(f, a, b, env);
  }
  const detail::Term<Wide> exact = detail::product<Wide>(a, b);
  return round(f, exact.negative, exact.exponent, detail::to_significand(exact.magnitude), env);
}

[[nodiscard, gnu::always_inline]] constexpr Result fma_values(const Format& f, const Value& a,
                                                              const Value& b, const Value& c,
                                                              const Environment& env, bool narrow) {
  if (a.kind != Kind::kFinite || b.kind != Kind::kFinite || c.kind != Kind::kFinite) [[unlikely]] {
    return detail::special_fma(f, a, b, c, env);
  }
  if (narrow && f.precision() <= 31) {
    return detail::sum(f, detail::product<std::uint64_t>(a, b), detail::term<std::uint64_t>(c),
                       env);
  }
  return detail::sum(f, detail::product<Wide>(a, b), detail::term<Wide>(c), env);
}

[[nodiscard, gnu::always_inline]] constexpr Result add(const Format& f, Bits a, Bits b,
                                                       const Environment& env = {}) {
  return add_values(f, unpack(f, a, env), unpack(f, b, env), env);
}

[[nodiscard, gnu::always_inline]] constexpr Result sub(const Format& f, Bits a, Bits b,
                                                       const Environment& env = {}) {
  Value subtrahend = unpack(f, b, env);
  subtrahend.negative = !subtrahend.negative;
  return add_values(f, unpack(f, a, env), subtrahend, env);
}

// a * b, each in its own format, rounded once to `result`.
[[nodiscard, gnu::always_inline]] constexpr Result mul(const Format& fa, Bits a, const Format& fb,
                                                       Bits b, const Format& result,
                                                       const Environment& env) {
  return mul_values(result, unpack(fa, a, env, result), unpack(fb, b, env, result), env);
}
[[nodiscard, gnu::always_inline]] constexpr Result mul(const Format& ab, Bits a, Bits b,
                                                       const Format& result,
                                                       const Environment& env) {
  return mul(ab, a, ab, b, result, env);
}
[[nodiscard, gnu::always_inline]] constexpr Result mul(const Format& f, Bits a, Bits b,
                                                       const Environment& env = {}) {
  return mul(f, a, f, b, f, env);
}

// a * b + c rounded once; c and the result share a format.
[[nodiscard, gnu::always_inline]] constexpr Result fma(const Format& fa, Bits a, const Format& fb,
                                                       Bits b, const Format& fc, Bits c,
                                                       const Environment& environment) {
  Environment env = environment;
  if (env.emulated_fma &&
      (!formats::is_finite(fa, a) || !formats::is_finite(fb, b) || formats::is_nan(fc, c))) {
    env.subnormals = Subnormals::kKeep;
  }
  return fma_values(fc, unpack(fa, a, env, fc), unpack(fb, b, env, fc), unpack(fc, c, env), env,
                    detail::fits_half_width(fa, fb));
}
[[nodiscard, gnu::always_inline]] constexpr Result fma(const Format& ab, Bits a, Bits b,
                                                       const Format& c_and_result, Bits c,
                                                       const Environment& env) {
  return fma(ab, a, ab, b, c_and_result, c, env);
}
[[nodiscard, gnu::always_inline]] constexpr Result fma(const Format& f, Bits a, Bits b, Bits c,
                                                       const Environment& env = {}) {
  return fma(f, a, f, b, f, c, env);
}

}  // namespace halfmark::soft
