// SPDX-License-Identifier: Apache-2.0
// Comparisons, and the minimum and maximum operations of IEEE 754-2019 (5.6, 9.6).
//
// An operand flushed by the environment is compared as the zero that it became. Results are
// operands, not rounded numbers, so no result is flushed.
#pragma once

#include "reference/formats/ulp.hpp"
#include "reference/soft/codec.hpp"

namespace halfmark::soft {

namespace detail {

[[nodiscard]] constexpr Bits flushed_operand(const Format& f, Bits a, const Environment& env) {
  const bool flushed = env.flushes_in() && formats::is_subnormal(f, a);
  return flushed ? formats::zero(f, formats::sign(f, a)) : a;
}

// Two operands as a comparison sees them.
struct Pair {
  Bits a;
  Bits b;
  bool a_nan;
  bool b_nan;
  bool signaling;

  [[nodiscard]] constexpr bool any_nan() const { return a_nan || b_nan; }
};

[[nodiscard]] constexpr Pair pair(const Format& f, Bits a, Bits b, const Environment& env) {
  return {.a = flushed_operand(f, a, env),
          .b = flushed_operand(f, b, env),
          .a_nan = formats::is_nan(f, a),
          .b_nan = formats::is_nan(f, b),
          .signaling = formats::is_signaling(f, a) || formats::is_signaling(f, b)};
}

[[nodiscard]] constexpr unsigned invalid_if(bool invalid) {
  return invalid ? unsigned{kInvalid} : 0u;
}

[[nodiscard]] constexpr Bits extremum(const Format& f, const Pair& p, bool largest) {
  const bool a_below = formats::ordered_with_zeros(f, p.a) <= formats::ordered_with_zeros(f, p.b);
  return a_below != largest ? p.a : p.b;
}

// minimum and maximum: a NaN operand gives a NaN.
[[nodiscard]] constexpr Result extremum_or_nan(const Format& f, const Pair& p, bool largest) {
  const Bits bits = p.any_nan() ? formats::quiet_nan(f) : extremum(f, p, largest);
  return {bits, invalid_if(p.signaling)};
}

// minimumNumber and maximumNumber: a number wins over a NaN, signaling or not.
[[nodiscard]] constexpr Result extremum_number(const Format& f, const Pair& p, bool largest) {
  Bits bits = formats::quiet_nan(f);
  if (p.a_nan != p.b_nan) bits = p.a_nan ? p.b : p.a;
  if (!p.any_nan()) bits = extremum(f, p, largest);
  return {bits, invalid_if(p.signaling)};
}

}  // namespace detail

[[nodiscard]] constexpr Result minimum(const Format& f, Bits a, Bits b,
                                       const Environment& env = {}) {
  return detail::extremum_or_nan(f, detail::pair(f, a, b, env), false);
}
[[nodiscard]] constexpr Result maximum(const Format& f, Bits a, Bits b,
                                       const Environment& env = {}) {
  return detail::extremum_or_nan(f, detail::pair(f, a, b, env), true);
}
[[nodiscard]] constexpr Result minimum_number(const Format& f, Bits a, Bits b,
                                              const Environment& env = {}) {
  return detail::extremum_number(f, detail::pair(f, a, b, env), false);
}
[[nodiscard]] constexpr Result maximum_number(const Format& f, Bits a, Bits b,
                                              const Environment& env = {}) {
  return detail::extremum_number(f, detail::pair(f, a, b, env), true);
}

// compareQuietEqual: only a signaling NaN raises invalid. The result is 0 or 1.
[[nodiscard]] constexpr Result eq(const Format& f, Bits a, Bits b, const Environment& env = {}) {
  const detail::Pair p = detail::pair(f, a, b, env);
  const bool holds = !p.any_nan() && formats::ordered(f, p.a) == formats::ordered(f, p.b);
  return {holds ? Bits{1} : Bits{0}, detail::invalid_if(p.signaling)};
}

// compareSignalingLess and compareSignalingLessEqual: every NaN raises invalid.
[[nodiscard]] constexpr Result lt(const Format& f, Bits a, Bits b, const Environment& env = {}) {
  const detail::Pair p = detail::pair(f, a, b, env);
  const bool holds = !p.any_nan() && formats::ordered(f, p.a) < formats::ordered(f, p.b);
  return {holds ? Bits{1} : Bits{0}, detail::invalid_if(p.any_nan())};
}
[[nodiscard]] constexpr Result le(const Format& f, Bits a, Bits b, const Environment& env = {}) {
  const detail::Pair p = detail::pair(f, a, b, env);
  const bool holds = !p.any_nan() && formats::ordered(f, p.a) <= formats::ordered(f, p.b);
  return {holds ? Bits{1} : Bits{0}, detail::invalid_if(p.any_nan())};
}

}  // namespace halfmark::soft
