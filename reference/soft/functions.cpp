// SPDX-License-Identifier: Apache-2.0
// Correct rounding by A. Ziv's strategy (Fast evaluation of elementary mathematical functions with
// correctly rounded last bit, ACM TOMS 17, 1991): bounds of the exact value are rounded; where both
// ends give the same encoding and flags that is the answer, because rounding is monotone; else
// the bounds are made narrower.
//
// That ends because no value that gets this far is representable or halfway between representable
// numbers. What is, is answered first:
//   exp, log       0 and 1: elsewhere e^x and log x are transcendental (Hermite, Lindemann)
//   exp2, log2     integers and powers of two: elsewhere x = p/q in lowest terms with q > 1 a power
//                  of two and 2^x irrational, or log2 x = p/q would give x^q = 2^p
//   rsqrt          even powers of two: y^2 x = 1 with y = n 2^g and x = m 2^e, n and m odd, gives
//                  n^2 m = 1
//   tanh, sigmoid  0: they are rational functions of e^2x and e^x
//   sin, cos       0: elsewhere transcendental (Lindemann)
//   erf, gelu, gelu_tanh
//                  0. No theorem is at hand for these; but the operands are finitely many, and all
//                  encodings of binary32 are decided by 256 bits (see README.md)
// Very small and very large operands, where the function is a hair from a number that is
// representable, get their bounds from the first term of the difference.
#include "reference/soft/functions.hpp"

#include <cstdlib>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft {
namespace detail {
namespace {

constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kLead;
constexpr Magnitude kUnit{0, kLeadingOne};
// Beyond every format: the bounds of what overflows, and of what is less than 2^-32 of the smallest
// number, which not even stochastic rounding can tell from nothing.
constexpr int kFar = 184;
constexpr int kFarther = 1 << 20;
constexpr Magnitude power(int exponent) { return {exponent, kLeadingOne | 1}; }
constexpr Bounds kHuge{false, power(kFar), power(kFarther)};
constexpr Bounds vanishing(bool negative) { return {negative, power(-kFarther), power(-kFar)}; }

// More than v, by less than v 2^-bits. v has few enough significant bits not to carry.
Bounds just_above(bool negative, Magnitude v, int bits) {
  const std::uint64_t step = bits > kLead ? 0 : v.significand >> bits;
  return {negative, {v.exponent, v.significand | 1}, {v.exponent, (v.significand + step) | 1}};
}

// Less than v, by less than v 2^-bits.
Bounds just_below(bool negative, Magnitude v, int bits) {
  // In half units of v, which has none: the binade below may be reached.
  const auto half_units = [&v](std::uint64_t significand) {
    return significand >> (kLead + 1) != 0 ? Magnitude{v.exponent, significand >> 1 | 1}
                                           : Magnitude{v.exponent - 1, significand | 1};
  };
  const std::uint64_t twice = v.significand << 1;
  const std::uint64_t step = bits > kLead ? 1 : twice >> bits;
  return {negative, half_units(twice - step), half_units(twice - 1)};
}

// --- what is answered first ----------------------------------------------------------------------

using Exact = std::optional<Result> (*)(const Format& f, const Value& x, const Environment& env);

std::optional<Result> never(const Format& /*f*/, const Value& /*x*/, const Environment& /*env*/) {
  return std::nullopt;
}

Result integer(const Format& f, int n, const Environment& env) {
  if (n == 0) return zero_result(f, false);
  const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
  const int exponent = 63 - std::countl_zero(size);
  return round(f, n < 0, exponent, size << (kLead - exponent), env);
}

std::optional<Result> exact_exp2(const Format& f, const Value& x, const Environment& env) {
  if (x.exponent < 0 || x.exponent > 10) return std::nullopt;
  const std::uint64_t size = x.significand >> (kLead - x.exponent);
  if (size << (kLead - x.exponent) != x.significand) return std::nullopt;
  const int n = static_cast<int>(size);
  return round(f, false, x.negative ? -n : n, kLeadingOne, env);
}

std::optional<Result> exact_log(const Format& f, const Value& x, const Environment& env) {
  if (x.exponent != 0 || x.significand != kLeadingOne) return std::nullopt;
  return integer(f, 0, env);
}

std::optional<Result> exact_log2(const Format& f, const Value& x, const Environment& env) {
  if (x.significand != kLeadingOne) return std::nullopt;
  return integer(f, x.exponent, env);
}

std::optional<Result> exact_rsqrt(const Format& f, const Value& x, const Environment& env) {
  if (x.significand != kLeadingOne || x.exponent % 2 != 0) return std::nullopt;
  return round(f, false, -x.exponent / 2, kLeadingOne, env);
}

// --- a hair from a representable number ----------------------------------------------------------

using Edge = std::optional<Bounds> (*)(const Value& x);

std::optional<Bounds> no_edge(const Value& /*x*/) { return std::nullopt; }

// 2^x - 1 and e^x - 1 are less than 2 |x|; e^256 and 2^256 are beyond every format.
std::optional<Bounds> edge_of_exp(const Value& x) {
  const int bits = -x.exponent - 2;
  if (x.exponent < -26) {
    return x.negative ? just_below(false, kUnit, bits) : just_above(false, kUnit, bits);
  }
  if (x.exponent >= 8) return x.negative ? vanishing(false) : kHuge;
  return std::nullopt;
}

// x - tanh x < x^3 / 3, and 1 - tanh 16 < 2 e^-32.
std::optional<Bounds> edge_of_tanh(const Value& x) {
  if (x.exponent < -13) {
    return just_below(x.negative, {x.exponent, x.significand}, -2 * x.exponent - 1);
  }
  if (x.exponent >= 4) return just_below(x.negative, kUnit, x.exponent > 4 ? kLead + 1 : 45);
  return std::nullopt;
}

// 1 - erf 4 < 2^-25.9, 1 - erf 8 < e^-64. (Near zero erf x is no hair from 2/sqrt(pi) x: not a
// representable number.)
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

// Both GELUs begin x/2 (1 + sqrt(2/pi) x), and 16 times their factor at -16 is below 2^-185.
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

// --- the table -----------------------------------------------------------------------------------

// The result where the operand is a zero or an infinity.
enum class Limit : std::uint8_t {
  kInvalid,
  kOperand,
  kZero,
  kMinusZero,
  kHalf,
  kOne,
  kOneOfItsSign,
  kMinusPole,  // -infinity, division by zero
  kPoleOfItsSign,
};

struct Definition {
  Limit at_zero = Limit::kOperand;
  Limit at_minus_infinity = Limit::kInvalid;
  Limit at_infinity = Limit::kOperand;
  bool positive_only = false;
  Exact exact = never;
  Edge edge = no_edge;
  Fast fast;
  WideEvaluation wide;
};

constexpr Definition kExp{.at_zero = Limit::kOne,
                          .at_minus_infinity = Limit::kZero,
                          .edge = edge_of_exp,
                          .fast = fast_exp,
                          .wide = wide_exp};
constexpr Definition kExp2{.at_zero = Limit::kOne,
                           .at_minus_infinity = Limit::kZero,
                           .exact = exact_exp2,
                           .edge = edge_of_exp,
                           .fast = fast_exp2,
                           .wide = wide_exp2};
constexpr Definition kLog{.at_zero = Limit::kMinusPole,
                          .positive_only = true,
                          .exact = exact_log,
                          .fast = fast_log,
                          .wide = wide_log};
constexpr Definition kLog2{.at_zero = Limit::kMinusPole,
                           .positive_only = true,
                           .exact = exact_log2,
                           .fast = fast_log2,
                           .wide = wide_log2};
constexpr Definition kRsqrt{.at_zero = Limit::kPoleOfItsSign,
                            .at_infinity = Limit::kZero,
                            .positive_only = true,
                            .exact = exact_rsqrt,
                            .fast = fast_rsqrt,
                            .wide = wide_rsqrt};
constexpr Definition kTanh{.at_minus_infinity = Limit::kOneOfItsSign,
                           .at_infinity = Limit::kOneOfItsSign,
                           .edge = edge_of_tanh,
                           .fast = fast_tanh,
                           .wide = wide_tanh};
constexpr Definition kErf{.at_minus_infinity = Limit::kOneOfItsSign,
                          .at_infinity = Limit::kOneOfItsSign,
                          .edge = edge_of_erf,
                          .fast = fast_erf,
                          .wide = wide_erf};
constexpr Definition kSigmoid{.at_zero = Limit::kHalf,
                              .at_minus_infinity = Limit::kZero,
                              .at_infinity = Limit::kOne,
                              .edge = edge_of_sigmoid,
                              .fast = fast_sigmoid,
                              .wide = wide_sigmoid};
constexpr Definition kGelu{.at_minus_infinity = Limit::kMinusZero,
                           .edge = edge_of_gelu,
                           .fast = fast_gelu,
                           .wide = wide_gelu};
constexpr Definition kGeluTanh{.at_minus_infinity = Limit::kMinusZero,
                               .edge = edge_of_gelu_tanh,
                               .fast = fast_gelu_tanh,
                               .wide = wide_gelu_tanh};

constexpr Definition kSin{
    .at_infinity = Limit::kInvalid, .edge = edge_of_sin, .fast = fast_sin, .wide = wide_sin};
constexpr Definition kCos{.at_zero = Limit::kOne,
                          .at_infinity = Limit::kInvalid,
                          .edge = edge_of_cos,
                          .fast = fast_cos,
                          .wide = wide_cos};

Result limit(const Format& f, const Value& x, Limit limit, const Environment& env) {
  const auto pole = [&](bool negative) {
    const Result infinite = round(f, Value{Kind::kInfinity, negative, 0, 0}, env);
    return Result{infinite.bits, infinite.flags | kDivideByZero};
  };
  switch (limit) {
    case Limit::kInvalid:
      return nan_result(f, true);
    case Limit::kOperand:
      return round(f, x, env);
    case Limit::kZero:
      return zero_result(f, false);
    case Limit::kMinusZero:
      return zero_result(f, true);
    case Limit::kHalf:
      return round(f, false, -1, kLeadingOne, env);
    case Limit::kOne:
      return round(f, false, 0, kLeadingOne, env);
    case Limit::kOneOfItsSign:
      return round(f, x.negative, 0, kLeadingOne, env);
    case Limit::kMinusPole:
      return pole(true);
    case Limit::kPoleOfItsSign:
      return pole(x.negative);
  }
  std::abort();
}

std::optional<Result> decided(const Format& f, const Bounds& b, const Environment& env) {
  const Result low = round(f, b.negative, b.low.exponent, b.low.significand, env);
  const Result high = round(f, b.negative, b.high.exponent, b.high.significand, env);
  return low == high ? std::optional(low) : std::nullopt;
}

Result narrowed(const Definition& function, const Format& f, const Value& x, Bounds known,
                const Environment& env) {
  for (const int limbs : kPrecisions) {
    known = intersection(known, bounds(function.wide(x, limbs)));
    if (const auto result = decided(f, known, env)) return *result;
  }
  std::abort();  // an operand that the head of this file says does not exist
}

Result evaluate(const Definition& function, const Format& f, Bits a, const Environment& env) {
  const Value x = unpack(f, a, env);
  if (x.is_nan()) return round(f, x, env);
  if (x.kind == Kind::kZero) return limit(f, x, function.at_zero, env);
  if (x.kind == Kind::kInfinity) {
    return limit(f, x, x.negative ? function.at_minus_infinity : function.at_infinity, env);
  }
  if (x.negative && function.positive_only) return limit(f, x, Limit::kInvalid, env);
  if (const auto exact = function.exact(f, x, env)) return *exact;
  const auto edge = function.edge(x);
  const Bounds known = edge ? *edge : function.fast(x);
  if (const auto result = decided(f, known, env)) return *result;
  return narrowed(function, f, x, known, env);
}

}  // namespace
}  // namespace detail

Result exp(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kExp, f, a, env);
}
Result exp2(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kExp2, f, a, env);
}
Result log(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kLog, f, a, env);
}
Result log2(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kLog2, f, a, env);
}
Result rsqrt(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kRsqrt, f, a, env);
}
Result tanh(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kTanh, f, a, env);
}
Result erf(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kErf, f, a, env);
}
Result sigmoid(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kSigmoid, f, a, env);
}
Result gelu(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kGelu, f, a, env);
}
Result gelu_tanh(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kGeluTanh, f, a, env);
}
Result sin(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kSin, f, a, env);
}
Result cos(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kCos, f, a, env);
}

}  // namespace halfmark::soft
