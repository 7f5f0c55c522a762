// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/ulp_range.hpp"

#include <algorithm>
#include <bit>

#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::kFp64;
using soft::Rounding;

// fp32 with numbers up to 2^183 and down to 2^-350: the values of functions of fp32 operands
// outside fp32's range.
constexpr Format kBeyondFp32{
    .name = "fp32-beyond", .bits = 33, .exponent_bits = 9, .fraction_bits = 23, .bias = 328};

const Format& beyond(const Format& f) { return f == kFp32 ? kBeyondFp32 : kFp32; }

// Every format here is a subset of fp64.
Bits widened(const Format& f, Bits bits) { return soft::convert(f, kFp64, bits).bits; }
Bits narrowed(const Format& f, Bits value, Rounding direction) {
  return soft::convert(kFp64, f, value, {.rounding = direction}).bits;
}

Bits half_of(Bits value) { return soft::mul(kFp64, value, std::bit_cast<std::uint64_t>(0.5)).bits; }

// --- where the exact value lies ------------------------------------------------------------------

// Bounds in fp64, from `low` to `high`; an open end is excluded.
struct Place {
  Bits low, high;
  bool low_open = false, high_open = false;
};

Bits rounded(const AtOperands& function, const Format& f, Rounding direction) {
  return function(f, {.rounding = direction}).bits;
}

// Between two neighbours. Rounding to nearest, ties away, moves a value at the midpoint or past it
// away from zero; stochastic rounding with this random number moves only a value past the midpoint
// by at least 2^-32 of their distance.
Place place_between(const AtOperands& function, const Format& f, Bits below, Bits above) {
  const Bits low = widened(f, below);
  const Bits high = widened(f, above);
  if (below == above) return {low, high};
  const Bits middle = half_of(soft::add(kFp64, low, high).bits);
  const Bits away = rounded(function, f, Rounding::kNearAway);
  const soft::Environment farther{
      .rounding = Rounding::kStochastic, .random_bits = 32, .random = 0x7fffffff};
  const bool upper = away == above;
  const bool farther_half = formats::magnitude(f, away) ==
                            std::max(formats::magnitude(f, below), formats::magnitude(f, above));
  const bool open = !farther_half || function(f, farther).bits == away;
  if (upper) return {middle, high, open, true};
  return {low, middle, true, open};
}

// For a finite value; a format with more exponents locates numbers past the largest one.
Place place_of(const AtOperands& function, const Format& f, bool of_rounded) {
  const Rounding lower = of_rounded ? Rounding::kNearEven : Rounding::kDown;
  const Rounding upper = of_rounded ? Rounding::kNearEven : Rounding::kUp;
  const Bits down = rounded(function, f, lower);
  const Bits up = rounded(function, f, upper);
  if (formats::is_finite(f, down) && formats::is_finite(f, up))
    return place_between(function, f, down, up);
  const Format& wide = beyond(f);
  return {widened(wide, rounded(function, wide, lower)),
          widened(wide, rounded(function, wide, upper))};
}

// For numbers from `below` to `above`, which are neighbours or equal.
Bits ulp_between(const Format& f, Bits below, Bits above) {
  if (!formats::is_finite(f, below) || !formats::is_finite(f, above)) {
    below = above = formats::max_finite(f, false);
  }
  if (below == above) {
    const Bits size = formats::magnitude(f, below);
    const bool last = size == formats::max_finite(f, false);
    below = last ? size - 1 : size;
    above = last ? size : size + 1;
  }
  return soft::sub(kFp64, widened(f, above), widened(f, below)).bits;
}

// --- what is within a distance of it -------------------------------------------------------------

// The next encoding after an excluded end.
Bits lower_end(const Format& f, const Place& place, Bits distance) {
  const soft::Result end = soft::sub(kFp64, place.low, distance, {.rounding = Rounding::kUp});
  const Bits first = narrowed(f, end.bits, Rounding::kUp);
  const bool attained = (end.flags & soft::kInexact) == 0 && widened(f, first) == end.bits;
  const bool passed =
      formats::is_finite(f, first) &&
      formats::ordered(f, first) == formats::ordered(f, formats::max_finite(f, true)) && !attained;
  if (passed) return formats::infinity(f, true);  // infinity lies past the largest number
  return attained && place.low_open ? formats::next_up(f, first) : first;
}

Bits upper_end(const Format& f, const Place& place, Bits distance) {
  const soft::Result end = soft::add(kFp64, place.high, distance, {.rounding = Rounding::kDown});
  const Bits last = narrowed(f, end.bits, Rounding::kDown);
  const bool attained = (end.flags & soft::kInexact) == 0 && widened(f, last) == end.bits;
  if (last == formats::max_finite(f, false) && !attained) return formats::infinity(f, false);
  return attained && place.high_open ? formats::next_down(f, last) : last;
}

Bits distance_of(const Format& f, const Nearness& nearness, Bits down, Bits up) {
  if (nearness.absolute) return *nearness.absolute;
  const auto halves = static_cast<std::int64_t>(nearness.ulps.halves);
  return soft::mul(kFp64, soft::from_int(kFp64, halves).bits, half_of(ulp_between(f, down, up)))
      .bits;
}

}  // namespace

UlpRange ulp_range(const Format& f, const AtOperands& function, const Nearness& nearness) {
  const soft::Result nearest = function(f, {});
  if (formats::is_nan(f, nearest.bits)) return {nearest.bits, nearest.bits};
  const bool is_number = (nearest.flags & soft::kInexact) == 0;
  const bool is_infinite = is_number && !formats::is_finite(f, nearest.bits);
  if (is_infinite || (is_number && nearness.exact_number)) return {nearest.bits, nearest.bits};
  const bool of_rounded = nearness.of_rounded;
  const Bits down = of_rounded ? nearest.bits : rounded(function, f, Rounding::kDown);
  const Bits up = of_rounded ? nearest.bits : rounded(function, f, Rounding::kUp);
  const Place place = place_of(function, f, of_rounded);
  const Bits distance = distance_of(f, nearness, down, up);
  UlpRange range{lower_end(f, place, distance), upper_end(f, place, distance)};
  if (formats::is_finite(f, nearest.bits)) return range;
  // The rounded result is infinity; a profile allows the largest number instead.
  const bool negative = formats::sign(f, nearest.bits);
  const Bits last = formats::max_finite(f, negative);
  (negative ? range.low : range.high) = nearest.bits;
  Bits& inner = negative ? range.high : range.low;
  if (nearness.may_saturate && formats::magnitude(f, inner) > formats::magnitude(f, last))
    inner = last;
  return range;
}

std::vector<Bits> readings(const Format& f, Bits operand) {
  if (!formats::is_subnormal(f, operand)) return {operand};
  return {operand, formats::zero(f), formats::zero(f, true)};
}

bool is_within_or_flushed(const Format& f, const UlpRange& range, Bits result) {
  const auto [low, high] = range;
  if (formats::is_nan(f, low) || formats::is_nan(f, result))
    return formats::is_nan(f, low) && formats::is_nan(f, result);
  const auto place = [&](Bits bits) { return formats::ordered(f, bits); };
  if (place(low) <= place(result) && place(result) <= place(high)) return true;
  const std::int64_t least = place(formats::min_normal(f));
  return formats::is_zero(f, result) && place(low) < least && place(high) > -least;
}

}  // namespace halfmark::operators
