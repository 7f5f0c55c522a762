// SPDX-License-Identifier: Apache-2.0
// Elementary functions of two operands, correctly rounded: the exact value of the function, rounded
// once, in every direction, with the flags of IEEE 754-2019, clause 9.2.
//
// Special values are those of ISO C, F.10 (the same in ISO C 1999, F.9), and of IEEE 754-2019,
// 9.2.1, for powr. Where they leave a choice, decided here: pow(0, -infinity) is infinity without
// division by zero; a signaling NaN is invalid beside any operand, also beside those that make a
// quiet one no matter.
//
// Assumptions: those of functions.hpp (has_functions).
#pragma once

#include "reference/soft/functions.hpp"

namespace halfmark::soft {

[[nodiscard]] Result pow(const Format& f, Bits a, Bits b, const Environment& env = {});
// a^b for a >= 0 alone, by way of exp and log: powr(0, 0), powr(infinity, 0) and powr(1, infinity)
// are invalid, and a NaN is contagious.
[[nodiscard]] Result powr(const Format& f, Bits a, Bits b, const Environment& env = {});
// The angle of the point (b, a), from -pi to pi.
[[nodiscard]] Result atan2(const Format& f, Bits a, Bits b, const Environment& env = {});
[[nodiscard]] Result hypot(const Format& f, Bits a, Bits b, const Environment& env = {});
// a - n b, n being a / b cut to an integer; exact, of a's sign.
[[nodiscard]] Result fmod(const Format& f, Bits a, Bits b, const Environment& env = {});
// a - n b, n being a / b rounded to the nearest integer, to the even one of two; exact.
[[nodiscard]] Result remainder(const Format& f, Bits a, Bits b, const Environment& env = {});

struct BinaryFunction {
  std::string_view name;
  std::string_view meaning;
  Result (*evaluate)(const Format&, Bits, Bits, const Environment&);
};

// The one list of them.
inline constexpr std::array kBinaryFunctions{
    BinaryFunction{"pow", "a^b", pow},
    BinaryFunction{"powr", "a^b for a >= 0, as e^(b log a)", powr},
    BinaryFunction{"atan2", "angle of the point (b, a), in radians", atan2},
    BinaryFunction{"hypot", "square root of a^2 + b^2", hypot},
    BinaryFunction{"fmod", "a - n b, n = a / b cut to an integer", fmod},
    BinaryFunction{"remainder", "a - n b, n = a / b rounded to an integer", remainder},
};

}  // namespace halfmark::soft
