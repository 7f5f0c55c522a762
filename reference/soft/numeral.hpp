// SPDX-License-Identifier: Apache-2.0
// Reads numbers as people write them, without losing anything, and rounds them once: decimal
// ("0.1", "-1e-5"), hex float ("0x1.8p-3", the p is required), "inf", "nan", "snan". Any length,
// any exponent, upper or lower case.
//
// Encodings are not numerals: formats::parse_hex reads those.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference/soft/exact_number.hpp"

namespace halfmark::soft {

struct Numeral {
  enum class Kind : std::uint8_t { kFinite, kInfinity, kQuietNan, kSignalingNan };

  Kind kind = Kind::kFinite;
  bool negative = false;
  // For finite numerals: the value is the integer spelled by the digits, times 10^exponent, or
  // times 2^exponent if the digits are hex. No leading or trailing zeros, so zero has no digits.
  bool hex = false;
  std::string digits;
  std::int64_t exponent = 0;  // clamped to +-2^40, where every format has long overflowed
                              // or vanished
};

// Returns nothing when the text is not a numeral.
[[nodiscard]] std::optional<Numeral> parse_numeral(std::string_view text);

// Rounds in the environment's direction, whatever the length of the numeral. A signaling NaN gives
// the quiet NaN and raises invalid, as an operation would.
[[nodiscard]] Result round(const Format& f, const Numeral& numeral, const Environment& env);

// The value of a finite numeral; nothing when writing it out would take more than about
// 30,000 digits.
[[nodiscard]] std::optional<ExactNumber> exact_number(const Numeral& numeral);

}  // namespace halfmark::soft
