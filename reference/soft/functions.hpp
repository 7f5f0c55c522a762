// SPDX-License-Identifier: Apache-2.0
// Correctly rounded elementary functions: the exact value of the function at the operand, rounded
// once, in every direction. Flags follow IEEE 754-2019, clause 9.2, for the functions it covers.
//
// Where the standard leaves a choice or is silent, this file decides: log(1), log2(1), log10(1) and
// acos(1) are +0 in every direction; gelu(-infinity) is exactly its limit -0; sigmoid(0) is exactly
// 1/2; underflow and overflow depend on the result only, as everywhere in reference/soft; every NaN
// result is the default quiet NaN.
//
// Assumptions (checked by has_functions): the format has a sign and a zero, at most 24 bits of
// precision, and all of its numbers lie between 2^-149 and 2^128 in magnitude.
#pragma once

#include "reference/soft/environment.hpp"

namespace halfmark::soft {

[[nodiscard]] constexpr bool has_functions(const Format& f) {
  return f.has_sign && f.has_zero && f.precision() <= 24 && f.min_place() >= -149 &&
         f.max_exponent() <= 127;
}

[[nodiscard]] Result exp(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result exp2(const Format& f, Bits a, const Environment& env = {});
// log(-0) and log(+0) are -infinity with division by zero; negative operands are invalid.
[[nodiscard]] Result log(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result log2(const Format& f, Bits a, const Environment& env = {});
// 1 / sqrt(a), rounded once; a zero gives an infinity of its sign, with division by zero.
[[nodiscard]] Result rsqrt(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result tanh(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result erf(const Format& f, Bits a, const Environment& env = {});
// 1 / (1 + e^-a)
[[nodiscard]] Result sigmoid(const Format& f, Bits a, const Environment& env = {});
// a Phi(a) = a/2 (1 + erf(a / sqrt 2))
[[nodiscard]] Result gelu(const Format& f, Bits a, const Environment& env = {});
// a/2 (1 + tanh(sqrt(2/pi) (a + 0.044715 a^3))), the constants exact
[[nodiscard]] Result gelu_tanh(const Format& f, Bits a, const Environment& env = {});

// An infinite operand is invalid. The argument reduction uses as many bits of pi as it needs.
[[nodiscard]] Result sin(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result cos(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result tan(const Format& f, Bits a, const Environment& env = {});
// For asin and acos, operands beyond 1 in magnitude are invalid; atan(infinity) is pi/2, rounded.
[[nodiscard]] Result asin(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result acos(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result atan(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result sinh(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result cosh(const Format& f, Bits a, const Environment& env = {});

[[nodiscard]] Result exp10(const Format& f, Bits a, const Environment& env = {});
// e^a - 1, rounded once
[[nodiscard]] Result expm1(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result log10(const Format& f, Bits a, const Environment& env = {});
// log(1 + a), rounded once; log1p(-1) is -infinity with division by zero, operands below
// are invalid.
[[nodiscard]] Result log1p(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result cbrt(const Format& f, Bits a, const Environment& env = {});
// 1 - erf(a), rounded once
[[nodiscard]] Result erfc(const Format& f, Bits a, const Environment& env = {});

// The sine and cosine of pi a. sinpi of an integer is a zero with the sign of the operand; cospi of
// half an odd integer is +0.
[[nodiscard]] Result sinpi(const Format& f, Bits a, const Environment& env = {});
[[nodiscard]] Result cospi(const Format& f, Bits a, const Environment& env = {});

struct Function {
  std::string_view name;
  std::string_view meaning;
  Result (*evaluate)(const Format&, Bits, const Environment&);
};

// The only list of these functions.
inline constexpr std::array kFunctions{
    Function{"exp", "e^a", exp},
    Function{"exp2", "2^a", exp2},
    Function{"log", "natural logarithm of a", log},
    Function{"log2", "binary logarithm of a", log2},
    Function{"rsqrt", "1 / sqrt(a)", rsqrt},
    Function{"tanh", "hyperbolic tangent of a", tanh},
    Function{"erf", "error function of a", erf},
    Function{"sigmoid", "1 / (1 + e^-a)", sigmoid},
    Function{"gelu", "a/2 (1 + erf(a / sqrt 2))", gelu},
    Function{"gelu_tanh", "a/2 (1 + tanh(sqrt(2/pi) (a + 0.044715 a^3)))", gelu_tanh},
    Function{"sin", "sine of a radians", sin},
    Function{"cos", "cosine of a radians", cos},
    Function{"tan", "tangent of a radians", tan},
    Function{"asin", "arc sine of a, in radians", asin},
    Function{"acos", "arc cosine of a, in radians", acos},
    Function{"atan", "arc tangent of a, in radians", atan},
    Function{"sinh", "hyperbolic sine of a", sinh},
    Function{"cosh", "hyperbolic cosine of a", cosh},
    Function{"exp10", "10^a", exp10},
    Function{"expm1", "e^a - 1", expm1},
    Function{"log10", "decimal logarithm of a", log10},
    Function{"log1p", "log(1 + a)", log1p},
    Function{"cbrt", "cube root of a", cbrt},
    Function{"erfc", "1 - erf(a)", erfc},
    Function{"sinpi", "sine of pi a", sinpi},
    Function{"cospi", "cosine of pi a", cospi},
};

}  // namespace halfmark::soft
