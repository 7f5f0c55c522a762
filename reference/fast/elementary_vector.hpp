// SPDX-License-Identifier: Apache-2.0
// exp, log, GELU and its derivative in fp32 lanes: the sequences of
// reference/operators/elementary.hpp, operation by operation, and so the same bits. Only files of
// vector code include this, once per target, after foreach_target.h.
//
// Assumptions: the thread is in a FloatingPointScope; any NaN may represent a NaN until it
// is stored.
#if defined(HALFMARK_FAST_ELEMENTARY_VECTOR) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFMARK_FAST_ELEMENTARY_VECTOR
#undef HALFMARK_FAST_ELEMENTARY_VECTOR
#else
#define HALFMARK_FAST_ELEMENTARY_VECTOR
#endif

#include "reference/fast/lanes_vector.hpp"
#include "reference/operators/elementary.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

// The encoding of a constant of the specification. A misspelt name does not compile.
consteval std::uint32_t bits_of(std::string_view name) {
  for (const operators::Constant& row : operators::kElementaryConstants) {
    if (row.name == name) return row.bits;
  }
  throw "no constant has this name";
}

// c[0] ... c[n - 1]: fma(... fma(fma(c[0], x, c[1]), x, c[2]) ..., x, c[n - 1]).
template <std::uint32_t kFirst, std::uint32_t... kRest>
HWY_INLINE FloatVector horner(FloatVector x) {
  FloatVector sum = every_lane(kFirst);
  ((sum = hn::MulAdd(sum, x, every_lane(kRest))), ...);
  return sum;
}

inline constexpr std::uint32_t kOneBits = 0x3f800000;

HWY_INLINE FloatVector limited(FloatVector x, FloatVector low, FloatVector high) {
  return hn::IfThenElse(hn::Gt(low, x), low, hn::IfThenElse(hn::Gt(x, high), high, x));
}

HWY_INLINE FloatVector exp(FloatVector x) {
  constexpr std::uint32_t kMagic = bits_of("HM_EXP_MAGIC");
  const FloatVector magic = every_lane(kMagic);
  const FloatVector c =
      limited(x, every_lane(bits_of("HM_EXP_LOW")), every_lane(bits_of("HM_EXP_HIGH")));
  const FloatVector shifted = hn::MulAdd(c, every_lane(bits_of("HM_EXP_LOG2E")), magic);
  const FloatVector n = hn::Sub(shifted, magic);
  FloatVector r = hn::MulAdd(n, every_lane(bits_of("HM_EXP_NEG_LN2_HI")), c);
  r = hn::MulAdd(n, every_lane(bits_of("HM_EXP_NEG_LN2_LO")), r);
  const FloatVector p = horner<bits_of("HM_EXP_C6"), bits_of("HM_EXP_C5"), bits_of("HM_EXP_C4"),
                               bits_of("HM_EXP_C3"), bits_of("HM_EXP_C2"), kOneBits, kOneBits>(r);
  const Words words;
  const WordVector one = hn::Set(words, 1U);
  const WordVector power = hn::Sub(hn::BitCast(words, shifted), hn::Set(words, kMagic - 256));
  const WordVector half = hn::ShiftRight<1>(power);
  const WordVector rest = hn::Sub(power, half);
  const auto power_of_two = [&](WordVector biased) HWY_ATTR {
    return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Sub(biased, one)));
  };
  return hn::Mul(hn::Mul(p, power_of_two(half)), power_of_two(rest));
}

HWY_INLINE FloatVector log(FloatVector x) {
  const Floats floats;
  const Words words;
  constexpr std::uint32_t kSqrtHalf = 0x3f3504f3;
  constexpr std::uint32_t kMinNormal = 0x00800000;
  const FloatVector zero = hn::Zero(floats);
  const FloatVector nan = every_lane(0x7fc00000U);
  const FloatVector infinity = every_lane(0x7f800000U);
  const auto subnormal = hn::Lt(x, every_lane(kMinNormal));
  const FloatVector scaled =
      hn::IfThenElse(subnormal, hn::Mul(x, every_lane(bits_of("HM_LOG_TWO23"))), x);
  const WordVector moved =
      hn::Add(hn::BitCast(words, scaled), hn::Set(words, kOneBits - kSqrtHalf));
  // Integers below 2^8 are exact as floats, and so is their difference.
  const hn::RebindToSigned<Floats> integers;
  const FloatVector biased =
      hn::ConvertTo(floats, hn::BitCast(integers, hn::ShiftRight<23>(moved)));
  const FloatVector k =
      hn::Sub(biased, hn::IfThenElse(subnormal, hn::Set(floats, 150.0F), hn::Set(floats, 127.0F)));
  const WordVector fraction = hn::And(moved, hn::Set(words, 0x7fffffU));
  const FloatVector f = hn::Sub(hn::BitCast(floats, hn::Add(fraction, hn::Set(words, kSqrtHalf))),
                                every_lane(kOneBits));
  const FloatVector square = hn::Mul(f, f);
  const FloatVector q =
      horner<bits_of("HM_LOG_C11"), bits_of("HM_LOG_C10"), bits_of("HM_LOG_C9"),
             bits_of("HM_LOG_C8"), bits_of("HM_LOG_C7"), bits_of("HM_LOG_C6"), bits_of("HM_LOG_C5"),
             bits_of("HM_LOG_C4"), bits_of("HM_LOG_C3"), bits_of("HM_LOG_C2")>(f);
  const FloatVector low = hn::MulAdd(square, q, hn::Mul(k, every_lane(bits_of("HM_LOG_LN2_LO"))));
  FloatVector result = hn::MulAdd(k, every_lane(bits_of("HM_LOG_LN2_HI")), hn::Add(low, f));
  result = hn::IfThenElse(hn::Eq(x, infinity), infinity, result);
  result = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Lt(x, zero)), nan, result);
  return hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), result);
}

// 1 + exp(-2z), the divisor of both GELU functions.
HWY_INLINE FloatVector gelu_divisor(FloatVector x, FloatVector square) {
  const FloatVector one = every_lane(kOneBits);
  const FloatVector factor = hn::MulAdd(square, every_lane(bits_of("HM_GELU_CUBIC")), one);
  const FloatVector exponent =
      hn::Mul(hn::Mul(x, factor), every_lane(bits_of("HM_GELU_NEG_SLOPE")));
  return hn::Add(one, exp(exponent));
}

HWY_INLINE FloatVector gelu(FloatVector x) {
  const auto below = hn::Gt(every_lane(bits_of("HM_GELU_NEG_LIMIT")), x);
  const FloatVector quotient = hn::Div(x, gelu_divisor(x, hn::Mul(x, x)));
  return hn::IfThenElse(below, every_lane(0x80000000U), quotient);
}

HWY_INLINE FloatVector gelu_derivative(FloatVector x) {
  const FloatVector one = every_lane(kOneBits);
  const FloatVector c =
      limited(x, every_lane(bits_of("HM_GELU_NEG_LIMIT")), every_lane(bits_of("HM_GELU_LIMIT")));
  const FloatVector square = hn::Mul(c, c);
  const FloatVector s = hn::Div(one, gelu_divisor(c, square));
  const FloatVector rest = hn::Sub(one, s);
  const FloatVector growth = hn::MulAdd(square, every_lane(bits_of("HM_GELU_CUBIC3")), one);
  const FloatVector slope = hn::Mul(hn::Mul(c, growth), every_lane(bits_of("HM_GELU_SLOPE")));
  return hn::Mul(s, hn::MulAdd(slope, rest, one));
}
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFMARK_FAST_ELEMENTARY_VECTOR
