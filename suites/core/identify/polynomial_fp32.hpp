// SPDX-License-Identifier: Apache-2.0
// Functions of vector code, as recipes (recipe.hpp) name them: exp, log and tanh by polynomials,
// and erf by a polynomial and an exponential. Every step is one rounded fp32 operation, so that a
// name determines bits. Correctly rounded functions are in rounded_fp32.hpp.
//
// Sources: the steps and the constants are those of oneDNN 2.6
// (src/cpu/x64/injectors/jit_uni_eltwise_injector.cpp, Apache License 2.0), which cites the
// Handbook of Floating-Point Arithmetic (Muller and others, 2010) for log; for erf it uses formula
// 7.1.26 of the Handbook of Mathematical Functions (Abramowitz and Stegun), which is in other
// libraries, too. Nobody documents how the coefficients of exp and tanh were fitted. They are read
// from the constants that version 2.6.3 keeps beside the code that it generates. Each function was
// compared with that version's results on every encoding of fp32, bit for bit: exp, log and tanh
// alone, all but log also inside of GELU and its gradient.
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest (fast::FloatingPointScope).
#pragma once

namespace halfmark::suites {

/// Within 2 ulp near 0 and 6 at the ends: x is clamped to the logarithms of the least normal and
/// the largest number; n = floor(log2e x + 1/2), both steps rounded; r = x - n ln2, fused; p of
/// degree 5 by Horner's rule, fused; then 2^(n - 1) p, doubled. Below the clamp, and where
/// 2^(n - 1) is not normal, it is +0. A NaN counts as the upper clamp.
[[nodiscard]] float exp_of_degree5(float x);

/// x is 2^e m with m from 3/4 to 3/2; r approximates 1/m in 5 bits, by the leading 5 fraction bits
/// of m; z = m r - 1, fused; z (1 + z p(z)), p of degree 3, fused; then a fused e' ln2 and a
/// constant for r are added, e' with its bias of 127: near 1 two large numbers cancel, and log 1 is
/// -0x1.8p-20 and not 0. The sum's rounding error is added back. Of subnormal x it is wrong.
[[nodiscard]] float log_of_degree5(float x);

/// x up to 0x1.bb67aep-12, 1 from 0x1.205966p+3 on, and in each half binade between them a
/// polynomial of degree 6 in the distance to its lower end, by Horner's rule, fused. Odd.
[[nodiscard]] float tanh_of_degree6(float x);

/// Abramowitz and Stegun, 7.1.26, with |error| <= 1.5e-7 of its own: 1 - (e t) p(t), with
/// t = 1 / (1 + 0.3275911 |x|) and p of degree 4, fused; e is exp(-x^2), however the caller
/// computes it. Odd.
[[nodiscard]] float short_erf_of(float x, float e);

}  // namespace halfmark::suites
