// SPDX-License-Identifier: Apache-2.0
// An operand as it stands on a command line: a number to be rounded into a format, or one of the
// format's encodings.
//
// Unambiguous by spelling: hex digits after 0x without a p, or after "bits:", are an encoding
// (0x3c00, bits:3c00); with a p they are a hex float (0x1.8p-3); everything else is a decimal
// numeral, inf, nan or snan. (In the filter, where no decimals occur, encodings need no prefix.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/soft/numeral.hpp"

namespace halfmark::tools {

struct Operand {
  std::string text;
  soft::Result read;                     // the encoding, with the flags that rounding raised
  std::optional<soft::Numeral> numeral;  // none where an encoding was given
};

// Either an operand, or the one-line problem with its text.
struct ParsedOperand {
  std::optional<Operand> operand;
  std::string problem;
};
[[nodiscard]] ParsedOperand parse_operand(const formats::Format& f, std::string_view text,
                                          const soft::Environment& env);

// A 32-bit integer, decimal, or hex after 0x.
[[nodiscard]] std::optional<std::int32_t> parse_integer(std::string_view text);

}  // namespace halfmark::tools
