// SPDX-License-Identifier: Apache-2.0
// Division and square root, each rounded once from a quotient or root with a sticky remainder.
#pragma once

#include "reference/soft/add_multiply.hpp"

namespace halfmark::soft {

namespace detail {

[[nodiscard]] constexpr Result special_quotient(const Format& f, const Value& a, const Value& b,
                                                const Environment& env) {
  if (a.is_nan() || b.is_nan()) return nan_result(f, any_signaling(a, b));
  if (a.kind == b.kind && a.kind != Kind::kFinite) return nan_result(f, true);
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kZero || b.kind == Kind::kInfinity) {
    return round(f, Value{Kind::kZero, negative, 0, 0}, env);
  }
  const unsigned by_zero = a.kind == Kind::kFinite ? unsigned{kDivideByZero} : 0u;
  const Result infinite = round(f, Value{Kind::kInfinity, negative, 0, 0}, env);
  return {infinite.bits, infinite.flags | by_zero};
}

// The first `places` bits of the square root of `operand`, which is in [1, 4) with 60 fraction
// bits; one bit per step, the last bit of the result sticky. The result has 61 fraction bits below
// its leading one at kLead - 1.
[[nodiscard]] constexpr std::uint64_t root_sticky(std::uint64_t operand, int places) {
  std::uint64_t rest = operand;
  std::uint64_t root = 0;
  std::uint64_t twice = 0;
  std::uint64_t step = std::uint64_t{1} << 60;
  for (int i = 0; i < places; ++i) {
    const std::uint64_t trial = twice + step;
    if (trial <= rest) {
      twice = trial + step;
      rest -= trial;
      root += step;
    }
    rest <<= 1;
    step >>= 1;
  }
  return root << 1 | (rest != 0 ? 1 : 0);
}

}  // namespace detail

[[nodiscard]] constexpr Result div_values(const Format& f, const Value& a, const Value& b,
                                          const Environment& env) {
  if (a.kind != Kind::kFinite || b.kind != Kind::kFinite) [[unlikely]] {
    return detail::special_quotient(f, a, b, env);
  }
  const Wide dividend = Wide{a.significand} << 63;
  auto quotient = static_cast<std::uint64_t>(dividend / b.significand);
  if (Wide{quotient} * b.significand != dividend) quotient |= 1;
  // The quotient is in (2^62, 2^64), with the extra bit when the dividend has the
  // larger significand.
  const int carry = static_cast<int>(quotient >> 63);
  quotient = carry != 0 ? (quotient >> 1 | (quotient & 1)) : quotient;
  return round(f, a.negative != b.negative, a.exponent - b.exponent - 1 + carry, quotient, env);
}

[[nodiscard]] constexpr Result div(const Format& f, Bits a, Bits b, const Environment& env = {}) {
  return div_values(f, unpack(f, a, env), unpack(f, b, env), env);
}

[[nodiscard]] constexpr Result sqrt(const Format& f, Bits a, const Environment& env = {}) {
  const Value value = unpack(f, a, env);
  if (value.is_nan()) return nan_result(f, value.kind == Kind::kSignalingNan);
  if (value.kind == Kind::kZero) return round(f, value, env);
  if (value.negative) return nan_result(f, true);
  if (value.kind == Kind::kInfinity) return round(f, value, env);
  const int odd = value.exponent & 1;
  // 60 fraction bits hold every significand: codec.hpp limits the precision.
  const std::uint64_t operand = value.significand >> (kLead - 60) << odd;
  const int below = env.rounding == Rounding::kStochastic ? env.random_bits + 1 : 2;
  const std::uint64_t root = detail::root_sticky(operand, f.precision() + below);
  return round(f, false, (value.exponent - odd) / 2, root << 1 | (root & 1), env);
}

}  // namespace halfmark::soft
