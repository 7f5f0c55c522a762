// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "reference/fast/parallel.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::elementary {
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

bool before(const Format& f, Bits a, Bits b) {
  return formats::ordered(f, a) < formats::ordered(f, b);
}

// --- where the exact value lies ------------------------------------------------------------------

// Bounds in fp64, from `low` to `high`; an open end is excluded.
struct Place {
  Bits low, high;
  bool low_open = false, high_open = false;
};

// The function at fixed operands, in one of several formats and directions.
struct Point {
  const Callee& callee;
  const Operands& operands;

  [[nodiscard]] soft::Result in(const Format& f, const soft::Environment& environment) const {
    return callee.evaluate(f, operands, environment);
  }
  [[nodiscard]] Bits rounded(const Format& f, Rounding direction) const {
    return in(f, {.rounding = direction}).bits;
  }
};

// Between two neighbours. Rounding to nearest, ties away, moves a value at the midpoint or past it
// away from zero; stochastic rounding with this random number moves only a value past the midpoint
// by at least 2^-32 of their distance.
Place place_between(const Point& point, const Format& f, Bits below, Bits above) {
  const Bits low = widened(f, below);
  const Bits high = widened(f, above);
  if (below == above) return {low, high};
  const Bits middle = half_of(soft::add(kFp64, low, high).bits);
  const Bits away = point.rounded(f, Rounding::kNearAway);
  const soft::Environment farther{
      .rounding = Rounding::kStochastic, .random_bits = 32, .random = 0x7fffffff};
  const bool upper = away == above;
  const bool farther_half = formats::magnitude(f, away) ==
                            std::max(formats::magnitude(f, below), formats::magnitude(f, above));
  const bool open = !farther_half || point.in(f, farther).bits == away;
  if (upper) return {middle, high, open, true};
  return {low, middle, true, open};
}

// For a finite value; a format with more exponents locates numbers past the largest one.
Place place_of(const Point& point, const Format& f, bool of_rounded) {
  const Bits down = point.rounded(f, of_rounded ? Rounding::kNearEven : Rounding::kDown);
  const Bits up = point.rounded(f, of_rounded ? Rounding::kNearEven : Rounding::kUp);
  if (formats::is_finite(f, down) && formats::is_finite(f, up)) {
    return place_between(point, f, down, up);
  }
  const Format& wide = beyond(f);
  const Operands same{soft::convert(f, wide, point.operands.x).bits,
                      soft::convert(f, wide, point.operands.w).bits};
  const Point farther{point.callee, same};
  const Bits low = farther.rounded(wide, of_rounded ? Rounding::kNearEven : Rounding::kDown);
  const Bits high = farther.rounded(wide, of_rounded ? Rounding::kNearEven : Rounding::kUp);
  return {widened(wide, low), widened(wide, high)};
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

double magnitude_of(const Format& f, Bits x) {
  return std::fabs(std::bit_cast<double>(widened(f, x)));
}

// What is allowed in addition to ULPs: an absolute error, as an fp64 number.
std::optional<Bits> absolute_of(Bits x, const Terms& terms) {
  const double size = magnitude_of(*terms.format, x);
  const bool near_one = terms.shape == Shape::kNearOne && size >= 0.5 && size <= 2.0;
  if (near_one) return std::bit_cast<std::uint64_t>(0x1p-21);
  if (terms.shape == Shape::kOneCircle) return std::bit_cast<std::uint64_t>(0x1p-11);
  return std::nullopt;
}

// 2|x| is rounded up to an integer; beyond 2^10 functions that grow like this have no useful value.
std::uint64_t halves_of(Bits x, const Terms& terms) {
  if (terms.shape != Shape::kGrowing) return terms.ulps.halves;
  const double more = 2 * std::min(magnitude_of(*terms.format, x), 0x1p10);
  return terms.ulps.halves + 2 * static_cast<std::uint64_t>(std::ceil(more));
}

Bits distance_of(const Terms& terms, Bits x, Bits down, Bits up) {
  if (const auto absolute = absolute_of(x, terms)) return *absolute;
  const auto halves = static_cast<std::int64_t>(halves_of(x, terms));
  return soft::mul(kFp64, soft::from_int(kFp64, halves).bits,
                   half_of(ulp_between(*terms.format, down, up)))
      .bits;
}

bool is_edge(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) || !formats::is_finite(f, bits);
}

Range unflushed(const Callee& callee, const Operands& operands, const Terms& terms) {
  const Format& f = *terms.format;
  const Point point{callee, operands};
  const soft::Result nearest = point.in(f, {});
  if (formats::is_nan(f, nearest.bits)) return {nearest.bits, nearest.bits};
  const bool number = (nearest.flags & soft::kInexact) == 0;
  const bool edge = is_edge(f, operands.x) || (callee.binary != nullptr && is_edge(f, operands.w));
  const bool infinite = number && !formats::is_finite(f, nearest.bits);
  if (infinite || (edge && terms.exact_edges && number)) return {nearest.bits, nearest.bits};
  const Bits down = terms.of_rounded ? nearest.bits : point.rounded(f, Rounding::kDown);
  const Bits up = terms.of_rounded ? nearest.bits : point.rounded(f, Rounding::kUp);
  const Place place = place_of(point, f, terms.of_rounded);
  const Bits distance = distance_of(terms, operands.x, down, up);
  Range range{lower_end(f, place, distance), upper_end(f, place, distance)};
  if (formats::is_finite(f, nearest.bits)) return range;
  // The rounded result is infinity; a profile allows the largest number instead.
  const bool negative = formats::sign(f, nearest.bits);
  const Bits last = formats::max_finite(f, negative);
  (negative ? range.low : range.high) = nearest.bits;
  Bits& inner = negative ? range.high : range.low;
  if (terms.may_saturate && formats::magnitude(f, inner) > formats::magnitude(f, last))
    inner = last;
  return range;
}

Bits without_subnormals(const Format& f, Bits bits) {
  return formats::is_subnormal(f, bits) ? bits & f.sign_mask() : bits;
}

Range flushed(const Callee& callee, Operands operands, const Terms& terms,
              const Flushing& flushing) {
  const Format& f = *terms.format;
  if (flushing.operands) {
    operands = {without_subnormals(f, operands.x), without_subnormals(f, operands.w)};
  }
  Range range = unflushed(callee, operands, terms);
  if (!flushing.results || formats::is_nan(f, range.low)) return range;
  // Any allowed subnormal may become zero; then the end past it may as well.
  const bool positive = formats::ordered(f, range.low) > 0;
  const bool negative = formats::ordered(f, range.high) < 0;
  if (positive && formats::is_subnormal(f, range.low)) range.low = 0;
  if (negative && formats::is_subnormal(f, range.high)) range.high = 0;
  return range;
}

}  // namespace

Range allowed(const Callee& callee, const Operands& operands, const Terms& terms,
              const Flushing& flushing) {
  if (!terms.may_flush) return flushed(callee, operands, terms, flushing);
  const Format& f = *terms.format;
  const Range kept = flushed(callee, operands, terms, {.results = true});
  const Range other = flushed(callee, operands, terms, {.operands = true, .results = true});
  if (formats::is_nan(f, kept.low) || formats::is_nan(f, other.low)) return kept;
  const auto less = [&f](Bits a, Bits b) { return before(f, a, b); };
  return {std::min(kept.low, other.low, less), std::max(kept.high, other.high, less)};
}

Enclosure enclosure_of(const Callee& callee, const TensorSet& inputs, const Terms& terms,
                       const Flushing& flushing) {
  const std::size_t count = inputs.at("x").count();
  formats::Tensor low = formats::Tensor::zeros(*terms.format, count);
  formats::Tensor high = low;
  constexpr std::size_t kPart = 512;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        const std::size_t end = std::min(count, (part + 1) * kPart);
        for (std::size_t i = part * kPart; i < end; ++i) {
          const Range range = allowed(callee, operands_at(inputs, i), terms, flushing);
          low.set(i, range.low);
          high.set(i, range.high);
        }
      });
  Enclosure enclosure;
  enclosure.low.emplace("y", std::move(low));
  enclosure.high.emplace("y", std::move(high));
  return enclosure;
}

}  // namespace halfmark::suites::elementary
