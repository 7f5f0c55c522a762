// SPDX-License-Identifier: Apache-2.0
// Correctly rounded elementary functions of two operands: the exact value of the function, rounded
// once, in every direction, with the flags of IEEE 754-2019, clause 9.2.
//
// Special values follow ISO C, F.10 (the same in ISO C 1999, F.9), and, for powr, IEEE 754-2019,
// 9.2.1. Where these leave a choice, this file decides: pow(0, -infinity) is infinity without
// division by zero; a signaling NaN raises invalid with every other operand, even where a quiet NaN
// would not affect the result.
//
// Assumptions: those of functions.hpp (has_functions).
#pragma once

#include "reference/soft/functions.hpp"

namespace halfmark::soft {

[[nodiscard]] Result pow(const Format& f, Bits a, Bits b, const Environment& env = {});
// a^b, defined by exp and log and so for a >= 0 only: powr(0, 0), powr(infinity, 0) and powr(1,
// infinity) are invalid, and a NaN operand gives a NaN.
[[nodiscard]] Result powr(const Format& f, Bits a, Bits b, const Environment& env = {});
// The angle of the point (b, a), from -pi to pi.
[[nodiscard]] Result atan2(const Format& f, Bits a, Bits b, const Environment& env = {});
[[nodiscard]] Result hypot(const Format& f, Bits a, Bits b, const Environment& env = {});
// a - n b, where n is a / b truncated to an integer; exact, with the sign of a.
[[nodiscard]] Result fmod(const Format& f, Bits a, Bits b, const Environment& env = {});
// a - n b, where n is a / b rounded to the nearest integer, ties to even; exact.
[[nodiscard]] Result remainder(const Format& f, Bits a, Bits b, const Environment& env = {});

struct BinaryFunction {
  std::string_view name;
  std::string_view meaning;
  Result (*evaluate)(const Format&, Bits, Bits, const Environment&);
};

// The only list of these functions.
inline constexpr std::array kBinaryFunctions{
    BinaryFunction{"pow", "a^b", pow},
    BinaryFunction{"powr", "a^b for a >= 0, as e^(b log a)", powr},
    BinaryFunction{"atan2", "angle of the point (b, a), in radians", atan2},
    BinaryFunction{"hypot", "square root of a^2 + b^2", hypot},
    BinaryFunction{"fmod", "a - n b, n = a / b cut to an integer", fmod},
    BinaryFunction{"remainder", "a - n b, n = a / b rounded to an integer", remainder},
};

}  // namespace halfmark::soft
