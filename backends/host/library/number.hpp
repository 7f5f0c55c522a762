// SPDX-License-Identifier: Apache-2.0
//
// Numbers in memory of any format with a sign, as the software device's library operators read and
// write them: in between, an element is held exactly as a double. Decides how a value is rounded to
// a format and how a fault may change that. Shares no code with the reference, which judges it.
//
// Assumptions:
//  1. Double represents every number of every such format exactly. Encoding rounds once, from a
//  double; a value that needs more than a double must be rounded to odd first (sum_to_odd).
//  2. NaN is a single class: no promise covers which NaN is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/formats/format.hpp"

namespace halfmark::backends::host::library {

using formats::Bits;
using formats::Format;

enum class Rounding : std::uint8_t { kNearestEven, kNearestAway, kTowardZero };

// How a value is rounded to a format. The default is correct.
struct Storing {
  Rounding rounding = Rounding::kNearestEven;
  bool saturates = false;  // values beyond the range, even infinities, become the largest number
  bool flushes = false;    // a result below the normal range becomes a zero of its sign
  bool loses_zero_sign = false;  // -0 becomes +0
  bool other_nan = false;        // another sign and payload; legal
  bool nan_is_zero = false;
  int first_bits = 0;  // not 0: rounds to so many significant bits first
  int binades = 0;     // not 0: in one out of this many, rounded results are a place too large
  bool cuts_subnormals = false;  // results below the normal range are rounded toward zero
  bool clamps_exponent = false;  // such results keep their significand, at the least exponent
};

[[nodiscard]] double decode(const Format& format, Bits encoding);
[[nodiscard]] Bits encode(const Format& format, double value, const Storing& storing = {});

// The value's nearest neighbour in the format, as altered by `storing`.
[[nodiscard]] inline double rounded(const Format& format, double value,
                                    const Storing& storing = {}) {
  return decode(format, encode(format, value, storing));
}

// x + y in double, rounded to odd: rounding that to a format of at most 51 bits then rounds x +
// y correctly.
[[nodiscard]] double sum_to_odd(double x, double y);

// Elements are words in memory in this machine's byte order (little-endian).
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
