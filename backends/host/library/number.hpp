// SPDX-License-Identifier: Apache-2.0
//
// Numbers in memory of any format with a sign, as the library operators of the software device read
// and write them: an element is a double in between, exactly. Decides how a value is rounded into a
// format and what a fault may change about that. Shares no code with the reference, which judges
// it.
//
// Assumptions:
//  1. Every number of every such format is a double. Encoding rounds once, from a double; a value
//  that is more than a double must be rounded to odd before (sum_to_odd).
//  2. A NaN is a class: which one is written is not part of any promise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/formats/format.hpp"

namespace halfmark::backends::host::library {

using formats::Bits;
using formats::Format;

enum class Rounding : std::uint8_t { kNearestEven, kNearestAway, kTowardZero };

// How a value is rounded into a format. As it stands: correctly.
struct Storing {
  Rounding rounding = Rounding::kNearestEven;
  bool saturates = false;        // beyond the range lies the largest number, also for infinities
  bool flushes = false;          // a result below the normal range is a zero of its sign
  bool loses_zero_sign = false;  // -0 is +0
  bool other_nan = false;        // another sign and payload; legal
};

[[nodiscard]] double decode(const Format& format, Bits encoding);
[[nodiscard]] Bits encode(const Format& format, double value, const Storing& storing = {});

// The value's nearest neighbour in the format, or whatever `storing` makes of it.
[[nodiscard]] inline double rounded(const Format& format, double value,
                                    const Storing& storing = {}) {
  return decode(format, encode(format, value, storing));
}

// x + y in double, rounded to odd: a rounding to a format of at most 51 bits then rounds x + y.
[[nodiscard]] double sum_to_odd(double x, double y);

// Elements are words in memory, in this machine's byte order (little-endian).
[[nodiscard]] Bits load_word(const Format& format, const std::byte* element);
void store_word(const Format& format, std::byte* element, Bits word);

[[nodiscard]] inline double load(const Format& format, const std::byte* element) {
  return decode(format, format.from_word(load_word(format, element)));
}
inline void store(const Format& format, std::byte* element, double value,
                  const Storing& storing = {}) {
  store_word(format, element, format.to_word(encode(format, value, storing)));
}

}  // namespace halfmark::backends::host::library
