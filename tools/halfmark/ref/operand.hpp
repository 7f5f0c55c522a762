// SPDX-License-Identifier: Apache-2.0
// An operand on a command line: a number to be rounded into a format, or one of the
// format's encodings.
//
// The spelling is unambiguous: hex digits after 0x without a p, or after "bits:", are an encoding
// (0x3c00, bits:3c00); with a p they are a hex float (0x1.8p-3); everything else is a decimal
// numeral, inf, nan or snan. (In the filter, which takes no decimals, encodings need no prefix.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/soft/numeral.hpp"

namespace halfmark::tools {

struct Operand {
  std::string text;
  soft::Result read;                     // the encoding, with the flags that rounding raised
  std::optional<soft::Numeral> numeral;  // empty if an encoding was given
};

// Either an operand, or the one-line problem with its text.
struct ParsedOperand {
  std::optional<Operand> operand;
  std::string problem;
};
[[nodiscard]] ParsedOperand parse_operand(const formats::Format& f, std::string_view text,
                                          const soft::Environment& env);

// A 32-bit integer, in decimal or in hex after 0x.
[[nodiscard]] std::optional<std::int32_t> parse_integer(std::string_view text);

}  // namespace halfmark::tools
