// SPDX-License-Identifier: Apache-2.0
// Correct rounding by A. Ziv's strategy (Fast evaluation of elementary mathematical functions with
// correctly rounded last bit, ACM TOMS 17, 1991): round both bounds of the exact value; if they
// give the same encoding and flags, that is the result, because rounding is monotone; else narrow
// the bounds.
//
// This terminates because no value that gets this far is representable or halfway between
// representable numbers: functions_edges.cpp handles those first.
#include "reference/soft/functions.hpp"

#include <cstdlib>

#include "reference/soft/functions_edges.hpp"

namespace halfmark::soft {
namespace detail {
namespace {

constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kLead;

// --- the table -----------------------------------------------------------------------------------

// The result where the operand is a zero or an infinity.
enum class Limit : std::uint8_t {
  kInvalid,
  kOperand,
  kZero,
  kMinusZero,
  kHalf,
  kOne,
  kTwo,
  kInfinity,
  kOneOfItsSign,
  kHalfPi,
  kHalfPiOfItsSign,
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
constexpr Definition kTan{
    .at_infinity = Limit::kInvalid, .edge = edge_of_tan, .fast = fast_tan, .wide = wide_tan};
constexpr Definition kAsin{.at_infinity = Limit::kInvalid,
                           .exact = exact_asin,
                           .edge = edge_of_asin,
                           .fast = fast_asin,
                           .wide = wide_asin};
constexpr Definition kAcos{.at_zero = Limit::kHalfPi,
                           .at_infinity = Limit::kInvalid,
                           .exact = exact_acos,
                           .fast = fast_acos,
                           .wide = wide_acos};
constexpr Definition kAtan{.at_minus_infinity = Limit::kHalfPiOfItsSign,
                           .at_infinity = Limit::kHalfPiOfItsSign,
                           .edge = edge_of_atan,
                           .fast = fast_atan,
                           .wide = wide_atan};
constexpr Definition kSinh{.at_minus_infinity = Limit::kOperand,
                           .edge = edge_of_sinh,
                           .fast = fast_sinh,
                           .wide = wide_sinh};
constexpr Definition kCosh{.at_zero = Limit::kOne,
                           .at_minus_infinity = Limit::kInfinity,
                           .edge = edge_of_cosh,
                           .fast = fast_cosh,
                           .wide = wide_cosh};
constexpr Definition kExp10{.at_zero = Limit::kOne,
                            .at_minus_infinity = Limit::kZero,
                            .exact = exact_exp10,
                            .edge = edge_of_exp10,
                            .fast = fast_exp10,
                            .wide = wide_exp10};
constexpr Definition kExpm1{.at_minus_infinity = Limit::kOneOfItsSign,
                            .edge = edge_of_expm1,
                            .fast = fast_expm1,
                            .wide = wide_expm1};
constexpr Definition kLog10{.at_zero = Limit::kMinusPole,
                            .positive_only = true,
                            .exact = exact_log10,
                            .fast = fast_log10,
                            .wide = wide_log10};
constexpr Definition kLog1p{
    .exact = exact_log1p, .edge = edge_of_log1p, .fast = fast_log1p, .wide = wide_log1p};
constexpr Definition kCbrt{.at_minus_infinity = Limit::kOperand,
                           .exact = exact_cbrt,
                           .fast = fast_cbrt,
                           .wide = wide_cbrt};
constexpr Definition kErfc{.at_zero = Limit::kOne,
                           .at_minus_infinity = Limit::kTwo,
                           .at_infinity = Limit::kZero,
                           .edge = edge_of_erfc,
                           .fast = fast_erfc,
                           .wide = wide_erfc};

constexpr Definition kSinpi{
    .at_infinity = Limit::kInvalid, .exact = exact_sinpi, .fast = fast_sinpi, .wide = wide_sinpi};
constexpr Definition kCospi{.at_zero = Limit::kOne,
                            .at_infinity = Limit::kInvalid,
                            .exact = exact_cospi,
                            .edge = edge_of_cospi,
                            .fast = fast_cospi,
                            .wide = wide_cospi};

Result limit(const Format& f, const Value& x, Limit limit, const Environment& env) {
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
    case Limit::kTwo:
      return round(f, false, 1, kLeadingOne, env);
    case Limit::kInfinity:
      return round(f, Value{Kind::kInfinity, false, 0, 0}, env);
    case Limit::kHalfPi:
      return half_pi(f, false, 1, env);
    case Limit::kHalfPiOfItsSign:
      return half_pi(f, x.negative, 1, env);
    case Limit::kOneOfItsSign:
      return round(f, x.negative, 0, kLeadingOne, env);
    case Limit::kMinusPole:
      return pole(f, true, env);
    case Limit::kPoleOfItsSign:
      return pole(f, x.negative, env);
  }
  std::abort();
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
  return first_decided(f, edge ? *edge : function.fast(x), env,
                       [&](int limbs) { return function.wide(x, limbs); });
}

}  // namespace

std::optional<Result> decided(const Format& f, const Bounds& b, const Environment& env) {
  const Result low = round(f, b.negative, b.low.exponent, b.low.significand, env);
  const Result high = round(f, b.negative, b.high.exponent, b.high.significand, env);
  return low == high ? std::optional(low) : std::nullopt;
}

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
Result tan(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kTan, f, a, env);
}
Result asin(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kAsin, f, a, env);
}
Result acos(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kAcos, f, a, env);
}
Result atan(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kAtan, f, a, env);
}
Result sinh(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kSinh, f, a, env);
}
Result cosh(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kCosh, f, a, env);
}
Result exp10(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kExp10, f, a, env);
}
Result expm1(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kExpm1, f, a, env);
}
Result log10(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kLog10, f, a, env);
}
Result log1p(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kLog1p, f, a, env);
}
Result cbrt(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kCbrt, f, a, env);
}
Result erfc(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kErfc, f, a, env);
}
Result sinpi(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kSinpi, f, a, env);
}
Result cospi(const Format& f, Bits a, const Environment& env) {
  return detail::evaluate(detail::kCospi, f, a, env);
}

}  // namespace halfmark::soft
