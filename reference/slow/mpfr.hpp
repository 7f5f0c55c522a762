// SPDX-License-Identifier: Apache-2.0
// MPFR as a second witness in addition to the naive twin: an independent multiple-precision
// library, set to the precision and exponent range of a format. Tests only.
//
// Assumptions: subnormals are kept and nothing saturates; MPFR does not offer rounding to nearest
// away and stochastic rounding (see offers()). Beyond the largest finite number of a format without
// infinity, and below the smallest of one without zero, the flags are MPFR's and the encoding is
// what soft/ documents.
#pragma once

#include <optional>

#include "reference/soft/environment.hpp"

namespace halfmark::slow::mpfr {

using formats::Bits;
using formats::Format;
using soft::Result;
using soft::Rounding;

enum class Operation { kAdd, kSub, kMul, kDiv, kFma, kSqrt, kRint, kConvert };

// The encoding nearest to a decimal numeral such as "6.1e-05".
[[nodiscard]] Bits parse_decimal(const Format& f, const char* text);
// The encoding of a decimal or hex numeral in a direction that MPFR offers.
[[nodiscard]] Bits parse_numeral(const Format& f, const char* text, Rounding rounding);

[[nodiscard]] bool offers(Rounding rounding);

// Operands are of format `in` (b and c if the operation has them), the result of format `out`.
// Returns nothing if an operand or the exact result is a NaN, because MPFR has one NaN and
// other flags.
[[nodiscard]] std::optional<Result> evaluate(Operation operation, const Format& in, Bits a, Bits b,
                                             Bits c, const Format& out, Rounding rounding);

}  // namespace halfmark::slow::mpfr
