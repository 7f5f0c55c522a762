// SPDX-License-Identifier: Apache-2.0
// The order of encodings: where an encoding stands among all values of its format, how many
// representable steps lie between two, and who its neighbours are.
//
// Does not judge: what distance is acceptable, and whether zeros of different sign may pass for
// each other, is contract data.
#pragma once

#include <limits>

#include "reference/formats/classify.hpp"

namespace halfmark::formats {

// A NaN is this far from every number, and 0 from every NaN.
inline constexpr std::uint64_t kIncomparable = std::numeric_limits<std::uint64_t>::max();

// Monotonic in the value; +0 and -0 share 0, infinity follows the largest finite number.
// Meaningless for a NaN.
[[nodiscard]] constexpr std::int64_t ordered(const Format& f, Bits bits) {
  const auto size = static_cast<std::int64_t>(magnitude(f, bits));
  return sign(f, bits) ? -size : size;
}

// The same order with -0 just below +0, as IEEE 754-2019 9.6 wants for minimum and maximum.
[[nodiscard]] constexpr std::int64_t ordered_with_zeros(const Format& f, Bits bits) {
  const auto size = static_cast<std::int64_t>(magnitude(f, bits));
  return sign(f, bits) ? -size - 1 : size;
}

// Steps from one value to the other. Two NaNs are 0 apart, a NaN and a number kIncomparable.
[[nodiscard]] std::uint64_t ulp_distance(const Format& f, Bits expected, Bits actual);

// The least value above, the greatest value below (IEEE 754-2019 5.3.1). The last value of a
// direction stays: an infinity, the largest finite number where there is none, the smallest number
// of a format without zero. The neighbours of a zero of either sign are the smallest subnormals; a
// NaN gives the quiet NaN.
[[nodiscard]] Bits next_up(const Format& f, Bits bits);
[[nodiscard]] Bits next_down(const Format& f, Bits bits);

}  // namespace halfmark::formats
