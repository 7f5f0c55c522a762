// SPDX-License-Identifier: Apache-2.0
// Formats the lines of the calculator's blocks.
#pragma once

#include <string>
#include <string_view>

#include "reference/soft/exact_number.hpp"
#include "tools/halfmark/ref/operand.hpp"

namespace halfmark::tools {

// Enough for the exact value of every encoding of up to 32 bits.
inline constexpr std::size_t kMostDigits = 120;
// For a number of ulps.
inline constexpr std::size_t kUlpDigits = 10;

// "name       text\n"
[[nodiscard]] std::string line(std::string_view name, std::string_view text);

// "0x3c00  0x1p+0  1": an encoding, its value as a hex float, and its exact value.
[[nodiscard]] std::string describe(const formats::Format& f, formats::Bits bits);
// The exact value of an encoding in decimal, or "inf", "nan", "snan".
[[nodiscard]] std::string value_text(const formats::Format& f, formats::Bits bits);

// The exponent of the unit in the last place in the binade of a finite encoding.
[[nodiscard]] int ulp_exponent(const formats::Format& f, formats::Bits bits);

// rounded - exact in units of the last place of `rounded`, which must be finite: "-0.4 ulp".
[[nodiscard]] std::string error_in_ulps(const formats::Format& f, formats::Bits rounded,
                                        const soft::ExactNumber& exact);

// The lines "below" and "above"; empty for a NaN.
[[nodiscard]] std::string neighbour_lines(const formats::Format& f, formats::Bits bits);

// "1 (inexact)"; the number is the one that the filter prints.
[[nodiscard]] std::string flags_text(unsigned flags);

}  // namespace halfmark::tools
