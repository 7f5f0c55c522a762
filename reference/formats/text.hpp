// SPDX-License-Identifier: Apache-2.0
// Encodings as text for people and for pipes, in integer arithmetic only. Reading is defined for
// hex encodings alone: the one notation that cannot lose a bit.
#pragma once

#include <optional>
#include <string>

#include "reference/formats/format.hpp"

namespace halfmark::formats {

// The encoding's word in lower-case hex, as wide as the format's: fp16 one is "3c00", tf32 one
// "3f800000".
[[nodiscard]] std::string hex(const Format& f, Bits bits);

// The value, exactly: "0x1.8p+3", "-0x1p-24", "0x0p+0", "-inf", "nan", "snan". Subnormals are
// normalised too, so that equal values of different formats print alike.
[[nodiscard]] std::string hex_float(const Format& f, Bits bits);

// The fewest decimal digits that identify the value within its format: "0.1", "65504", "6e-08".
[[nodiscard]] std::string decimal(const Format& f, Bits bits);

// An encoding from its word in hex, any case, with or without "0x"; leading zeros may be left out.
// Nothing when the text is not that or has bits above the format's width.
[[nodiscard]] std::optional<Bits> parse_hex(const Format& f, std::string_view text);

}  // namespace halfmark::formats
