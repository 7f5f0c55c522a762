// SPDX-License-Identifier: Apache-2.0
// Encodings as text for people and for pipes, in integer arithmetic only. Only hex encodings can be
// read back, because only they cannot lose a bit.
#pragma once

#include <optional>
#include <string>

#include "reference/formats/format.hpp"

namespace halfmark::formats {

// The encoding's word in lower-case hex, at the full width of the format's word: 1 is "3c00" in
// fp16 and "3f800000" in tf32.
[[nodiscard]] std::string hex(const Format& f, Bits bits);

// The exact value: "0x1.8p+3", "-0x1p-24", "0x0p+0", "-inf", "nan", "snan". Subnormals are
// normalised too, so equal values of different formats print the same.
[[nodiscard]] std::string hex_float(const Format& f, Bits bits);

// The fewest decimal digits that identify the value in its format: "0.1", "65504", "6e-08".
[[nodiscard]] std::string decimal(const Format& f, Bits bits);

// Reads an encoding from its word in hex, upper or lower case, with or without "0x" and leading
// zeros. Padding (the low 13 bits of a tf32 word) is ignored. Returns nothing if the text is
// anything else or has bits above the format's width.
[[nodiscard]] std::optional<Bits> parse_hex(const Format& f, std::string_view text);

}  // namespace halfmark::formats
