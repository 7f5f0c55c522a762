// SPDX-License-Identifier: Apache-2.0
#include "reference/formats/ulp.hpp"

namespace halfmark::formats {
namespace {

// One step away from zero; the largest value of the format stays.
Bits outward(const Format& f, Bits bits) {
  const Bits top = f.has_infinity() ? infinity(f) : max_finite(f);
  const Bits size = magnitude(f, bits);
  return encode(f, sign(f, bits), size == top ? top : size + 1);
}

Bits neighbour(const Format& f, Bits bits, bool upward) {
  if (is_nan(f, bits)) return quiet_nan(f);
  if (is_zero(f, bits)) return min_subnormal(f, !upward);
  if (sign(f, bits) != upward) return outward(f, bits);
  if (magnitude(f, bits) == 0) return bits;  // the smallest number of a format without zero
  return encode(f, sign(f, bits), magnitude(f, bits) - 1);
}

}  // namespace

std::uint64_t ulp_distance(const Format& f, Bits expected, Bits actual) {
  const bool expected_nan = is_nan(f, expected);
  if (expected_nan || is_nan(f, actual)) {
    return expected_nan && is_nan(f, actual) ? 0 : kIncomparable;
  }
  const std::int64_t from = ordered(f, expected);
  const std::int64_t to = ordered(f, actual);
  // The difference may overflow a signed integer, but never an unsigned one.
  return from < to ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)
                   : static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to);
}

Bits next_up(const Format& f, Bits bits) { return neighbour(f, bits, true); }
Bits next_down(const Format& f, Bits bits) { return neighbour(f, bits, false); }

}  // namespace halfmark::formats
