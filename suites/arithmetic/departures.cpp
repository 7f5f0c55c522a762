// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/departures.hpp"

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/functions.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;
using models::Machine;

Bits less_of_flushed(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::lt(f, x.a, x.b, {.subnormals = soft::Subnormals::kFlushIn}).bits;
}

Bits equal_of_flushed(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::eq(f, x.a, x.b, {.subnormals = soft::Subnormals::kFlushIn}).bits;
}

// The result of a comparison.
Bits truth(bool is_true) { return is_true ? 1 : 0; }

bool has_nan(const Format& f, const Operands& x) {
  return formats::is_nan(f, x.a) || formats::is_nan(f, x.b);
}

Bits less_or_nan(const Format& f, const Format&, const Operands& x, const Machine&) {
  return has_nan(f, x) ? truth(true) : soft::lt(f, x.a, x.b).bits;
}

Bits less_or_equal(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::le(f, x.a, x.b).bits;
}

Bits less_as_integers(const Format& f, const Format&, const Operands& x, const Machine&) {
  return truth((x.a ^ f.sign_mask()) < (x.b ^ f.sign_mask()));
}

Bits less_by_sign(const Format& f, const Format&, const Operands& x, const Machine&) {
  return truth(formats::ordered_with_zeros(f, x.a) < formats::ordered_with_zeros(f, x.b));
}

Bits less_of_zeros(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  return has_nan(f, x) ? truth(false) : less_by_sign(f, to, x, m);
}

Bits equal_or_nan(const Format& f, const Format&, const Operands& x, const Machine&) {
  return has_nan(f, x) ? truth(true) : soft::eq(f, x.a, x.b).bits;
}

Bits equal_of_nans(const Format& f, const Format&, const Operands& x, const Machine&) {
  const bool both = formats::is_nan(f, x.a) && formats::is_nan(f, x.b);
  return both ? truth(true) : soft::eq(f, x.a, x.b).bits;
}

Bits equal_as_integers(const Format&, const Format&, const Operands& x, const Machine&) {
  return truth(x.a == x.b);
}

Bits equal_of_same_nan(const Format& f, const Format&, const Operands& x, const Machine&) {
  return has_nan(f, x) ? truth(x.a == x.b) : soft::eq(f, x.a, x.b).bits;
}

Bits equal_but_zeros(const Format& f, const Format&, const Operands& x, const Machine&) {
  return has_nan(f, x) ? truth(false) : truth(x.a == x.b);
}

Bits fma_in_fp32(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const auto wide = [&](Bits bits) { return soft::convert(f, formats::kFp32, bits).bits; };
  const Bits sum = soft::fma(formats::kFp32, wide(x.a), wide(x.b), wide(x.c), m.fma).bits;
  return soft::convert(formats::kFp32, f, sum, m.convert).bits;
}

Bits by_reciprocal(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::mul(f, x.a, soft::div(f, one(f), x.b, m.div).bits, m.mul).bits;
}

// Markstein's last step, without the scaling that it needs near the ends of the range.
Bits by_refined_reciprocal(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const Bits reciprocal = soft::div(f, one(f), x.b, m.div).bits;
  const Bits quotient = soft::mul(f, x.a, reciprocal, m.mul).bits;
  const Bits rest = soft::fma(f, soft::neg(f, x.b), quotient, x.a, m.fma).bits;
  return soft::fma(f, rest, reciprocal, quotient, m.fma).bits;
}

Bits by_reciprocal_root(const Format& f, const Format&, const Operands& x, const Machine& m) {
  return soft::mul(f, x.a, soft::rsqrt(f, x.a).bits, m.mul).bits;
}

Bits root_with_zero(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  return formats::is_zero(f, x.a) ? x.a : by_reciprocal_root(f, to, x, m);
}

// The result of adding one half and taking the floor.
Bits half_added(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const Bits half = one(f) - (Bits{1} << f.fraction_bits);
  const Bits sum = soft::add(f, x.a, half, m.add).bits;
  return soft::rint(f, sum, {.rounding = soft::Rounding::kDown}).bits;
}

Bits half_away(const Format& f, const Format&, const Operands& x, const Machine&) {
  return soft::rint(f, x.a, {.rounding = soft::Rounding::kNearAway}).bits;
}

Bits through_bf16(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  const Bits brain = soft::convert(f, formats::kBf16, x.a, m.convert).bits;
  return soft::convert(formats::kBf16, to, brain, m.convert).bits;
}

Bits saturated(const Format& f, const Format& to, const Operands& x, const Machine& m) {
  const Bits bits = soft::convert(f, to, x.a, m.convert).bits;
  const bool overflowed =
      bits == formats::infinity(to, formats::sign(to, bits)) && formats::is_finite(f, x.a);
  return overflowed ? formats::max_finite(to, formats::sign(to, bits)) : bits;
}

// a * 2^first, then multiplied by 2^each `times` times; every multiplication rounds.
Bits scaled(const Format& f, Bits a, const Machine& m, std::int32_t first, std::int32_t each,
            int times) {
  Bits bits = soft::ldexp(f, a, first, m.scale).bits;
  for (int i = 0; i < times; ++i) bits = soft::ldexp(f, bits, each, m.scale).bits;
  return bits;
}

// SLEEF's ldexpf: exponents of 50 and more are applied as a remainder and four equal steps.
Bits in_five_steps(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const std::int32_t n = exponent_of(x.b);
  if (-50 < n && n < 50) return scaled(f, x.a, m, n, 0, 0);
  const std::int32_t quarter = n < 0 ? (n - 3) / 4 + 1 : n / 4;  // the floor, plus one if negative
  return scaled(f, x.a, m, n - 4 * quarter, quarter, 4);
}

Bits in_halves(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const std::int32_t half = exponent_of(x.b) / 2;
  return scaled(f, x.a, m, half, exponent_of(x.b) - half, 1);
}

// In steps as far as the least normal power reaches.
Bits in_far_steps(const Format& f, const Format&, const Operands& x, const Machine& m) {
  std::int32_t n = exponent_of(x.b);
  Bits bits = x.a;
  for (const int least = f.min_exponent(); n < least; n -= least)
    bits = soft::ldexp(f, bits, least, m.scale).bits;
  return soft::ldexp(f, bits, n, m.scale).bits;
}

// The power itself overflows or underflows where the product need not.
Bits by_one_power(const Format& f, const Format&, const Operands& x, const Machine& m) {
  const Bits power = soft::ldexp(f, one(f), exponent_of(x.b), m.scale).bits;
  return soft::mul(f, x.a, power, m.mul).bits;
}

constexpr Departure kDepartures[] = {
    {"muladd", "fused", "contraction", "the multiplication and the addition were fused", fma},
    {"lt", "flushed-operands", "ftz", "comparison takes subnormal operands as zero",
     less_of_flushed},
    {"eq", "flushed-operands", "ftz", "comparison takes subnormal operands as zero",
     equal_of_flushed},
    {"lt", "nan-is-less", "nan_inf", "a < b is computed as not a >= b, which is true of a NaN",
     less_or_nan},
    {"lt", "less-or-equal", "formula", "a < b is computed as a <= b", less_or_equal},
    {"lt", "as-integers", "decode", "encodings are compared as signed integers", less_as_integers},
    {"lt", "as-signed-magnitudes", "decode",
     "encodings are compared as signs and magnitudes, NaNs too, and -0 is less than 0",
     less_by_sign},
    {"lt", "minus-zero-is-less", "signed_zero", "-0 is less than 0", less_of_zeros},
    {"eq", "nan-is-equal", "nan_inf",
     "a == b is computed as neither a < b nor a > b, which is true of a NaN", equal_or_nan},
    {"eq", "nans-are-equal", "nan_inf", "a NaN is equal to every NaN", equal_of_nans},
    {"eq", "as-integers", "decode", "encodings are compared as integers", equal_as_integers},
    {"eq", "nan-is-itself", "nan_inf", "a NaN is equal to a NaN of the same encoding",
     equal_of_same_nan},
    {"eq", "zeros-differ", "signed_zero", "-0 is not equal to 0", equal_but_zeros},
    {"fma", "separate", "contraction", "fma is a multiplication and an addition, each rounded",
     muladd},
    {"fma", "through-fp32", "cvt_round", "fma is computed in fp32 and then rounded again",
     fma_in_fp32, &formats::kFp32},
    {"div", "reciprocal", "rounding", "division multiplies by a rounded reciprocal", by_reciprocal},
    {"div", "refined-reciprocal", "rounding",
     "division refines the product with a rounded reciprocal once, without scaling",
     by_refined_reciprocal},
    {"sqrt", "reciprocal-root", "rounding", "the root is a times a rounded 1 / sqrt(a)",
     by_reciprocal_root},
    {"sqrt", "reciprocal-root-of-all-but-zero", "rounding",
     "the root is a times a rounded 1 / sqrt(a), but of zero", root_with_zero},
    {"rint", "half-added", "rounding", "rint is the floor of a + 1/2", half_added},
    {"rint", "half-away", "rounding", "rint rounds halves away from zero", half_away},
    {"ldexp", "in-five-steps", "double_round",
     "powers of 50 and more are multiplied in five steps, each of which rounds", in_five_steps},
    {"ldexp", "in-halves", "double_round", "the power is multiplied in two halves, each rounds",
     in_halves},
    {"ldexp", "in-far-steps", "double_round",
     "the least normal power is multiplied as often as it goes, and then the rest; each rounds",
     in_far_steps},
    {"ldexp", "by-one-power", "overflow",
     "a is multiplied by 2^n, which overflows or vanishes where the product does not",
     by_one_power},
    {"to_fp16", "through-bf16", "fmt_subst", "the value went through bf16 on its way to fp16",
     through_bf16},
    {"to_fp16", "saturating", "cvt_round",
     "overflow gives the largest finite number instead of infinity", saturated},
};

}  // namespace

std::span<const Departure> departures() { return kDepartures; }

}  // namespace halfmark::suites::arithmetic
