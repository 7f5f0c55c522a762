// SPDX-License-Identifier: Apache-2.0
// MPFR as a second witness beside the naive twin: someone else's multiple-precision library, driven
// to the precision and exponent range of a format. Test only.
//
// Assumptions: subnormals are kept, nothing saturates; rounding to nearest away and stochastic
// rounding do not exist there (offers() says). Beyond the largest finite number of a format without
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

// Operands of format `in` (b and c where the operation has them), the result in format `out`.
// Nothing when an operand or the exact result is a NaN: MPFR has one NaN and other flags.
[[nodiscard]] std::optional<Result> evaluate(Operation operation, const Format& in, Bits a, Bits b,
                                             Bits c, const Format& out, Rounding rounding);

}  // namespace halfmark::slow::mpfr
