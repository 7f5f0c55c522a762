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
using formats::kFp32;
using formats::kFp64;
using soft::Rounding;

Bits widened(Bits single) { return soft::convert(kFp32, kFp64, single).bits; }
Bits narrowed(Bits value, Rounding direction) {
  return soft::convert(kFp64, kFp32, value, {.rounding = direction}).bits;
}

Bits without_subnormals(Bits bits) {
  return formats::is_subnormal(kFp32, bits) ? bits & kFp32.sign_mask() : bits;
}

// Every step is exact, multiples of a fp32 ULP of at most 2^13 beside one another, in fp64; or else
// rounded in that direction.
Bits moved(Bits from, Bits ulp, std::uint64_t steps, bool up, Rounding direction) {
  const Bits count = soft::from_int(kFp64, static_cast<std::int64_t>(steps)).bits;
  const Bits distance = soft::mul(kFp64, count, ulp).bits;
  const Bits end = up ? soft::add(kFp64, widened(from), distance, {.rounding = direction}).bits
                      : soft::sub(kFp64, widened(from), distance, {.rounding = direction}).bits;
  return narrowed(end, direction);
}

// Of numbers from `below` to `above`, which are neighbours or the same one.
Bits ulp_between(Bits below, Bits above) {
  if (below == above) {
    const Bits size = below & ~kFp32.sign_mask();
    const bool last = size == formats::max_finite(kFp32, false);
    below = last ? size - 1 : size;
    above = last ? size : size + 1;
  }
  return soft::sub(kFp64, widened(above), widened(below)).bits;
}

// `high` as far as the bound reaches; beyond the largest number lies infinity.
Bits upper_end(Bits below, Bits ulp, std::uint64_t ulps) {
  const Bits end = moved(below, ulp, ulps, true, Rounding::kDown);
  if (end != formats::max_finite(kFp32, false)) return end;
  const Bits infinity = formats::infinity(kFp32, false);
  return moved(below, ulp, ulps, true, Rounding::kUp) == infinity ? infinity : end;
}

Bits lower_end(Bits above, Bits ulp, std::uint64_t ulps) {
  const Bits end = moved(above, ulp, ulps, false, Rounding::kUp);
  if (end != formats::max_finite(kFp32, true)) return end;
  const Bits infinity = formats::infinity(kFp32, true);
  return moved(above, ulp, ulps, false, Rounding::kDown) == infinity ? infinity : end;
}

bool is_number(const soft::Function& function, Bits x) {
  return (function.evaluate(kFp32, x, {}).flags & soft::kInexact) == 0;
}

float magnitude_of(Bits x) {
  return std::fabs(std::bit_cast<float>(static_cast<std::uint32_t>(x)));
}

// What is allowed besides ULP: an absolute error, as an fp64 number.
std::optional<Bits> absolute_of(Bits x, const Terms& terms) {
  const float size = magnitude_of(x);
  const bool near_one = terms.shape == Shape::kNearOne && size >= 0.5F && size <= 2.0F;
  if (near_one) return std::bit_cast<std::uint64_t>(0x1p-21);
  if (terms.shape == Shape::kOneCircle) return std::bit_cast<std::uint64_t>(0x1p-11);
  return std::nullopt;
}

// 2|x| is rounded up to an integer; beyond 2^10 functions that grow so have no value to speak of.
std::uint64_t ulps_of(Bits x, const Terms& terms) {
  if (terms.shape != Shape::kGrowing) return terms.ulps;
  return terms.ulps + static_cast<std::uint64_t>(std::ceil(2 * std::min(magnitude_of(x), 0x1p10F)));
}

Range unflushed(const soft::Function& function, Bits x, const Terms& terms) {
  const std::uint64_t ulps = ulps_of(x, terms);
  const auto rounded = [&](Rounding direction) {
    return function.evaluate(kFp32, x, {.rounding = direction}).bits;
  };
  const Bits below = rounded(terms.of_rounded ? Rounding::kNearEven : Rounding::kDown);
  const Bits above = rounded(terms.of_rounded ? Rounding::kNearEven : Rounding::kUp);
  if (formats::is_nan(kFp32, below)) return {below, below};
  const bool edge = formats::is_zero(kFp32, x) || !formats::is_finite(kFp32, x);
  if (edge && terms.exact_edges && is_number(function, x)) return {below, above};
  const bool below_finite = formats::is_finite(kFp32, below);
  const bool above_finite = formats::is_finite(kFp32, above);
  if (below_finite && above_finite) {
    if (const auto absolute = absolute_of(x, terms)) {
      return {moved(above, *absolute, 1, false, Rounding::kUp),
              moved(below, *absolute, 1, true, Rounding::kDown)};
    }
    const Bits ulp = ulp_between(below, above);
    return {lower_end(above, ulp, ulps), upper_end(below, ulp, ulps)};
  }
  if (below == above) return {below, above};
  // Between the largest number and infinity. Where nearest says infinity, the value may lie
  // anywhere beyond; else within half a ULP of that number.
  const Bits nearest = function.evaluate(kFp32, x, {}).bits;
  if (!formats::is_finite(kFp32, nearest)) {
    return terms.may_saturate ? Range{below, above} : Range{nearest, nearest};
  }
  const Bits ulp = ulp_between(nearest, nearest);
  return below_finite ? Range{moved(below, ulp, ulps - 1, false, Rounding::kUp), above}
                      : Range{below, moved(above, ulp, ulps - 1, true, Rounding::kDown)};
}

Range flushed(const soft::Function& function, Bits x, const Terms& terms,
              const Flushing& flushing) {
  if (flushing.operands) x = without_subnormals(x);
  Range range = unflushed(function, x, terms);
  if (!flushing.results || formats::is_nan(kFp32, range.low)) return range;
  // Any allowed subnormal may become zero: then so may the end beyond it.
  const bool positive = formats::ordered(kFp32, range.low) > 0;
  const bool negative = formats::ordered(kFp32, range.high) < 0;
  if (positive && formats::is_subnormal(kFp32, range.low)) range.low = 0;
  if (negative && formats::is_subnormal(kFp32, range.high)) range.high = 0;
  return range;
}

}  // namespace

Range allowed(const soft::Function& function, Bits x, const Terms& terms,
              const Flushing& flushing) {
  if (!terms.may_flush) return flushed(function, x, terms, flushing);
  const Range kept = flushed(function, x, terms, {.results = true});
  const Range other = flushed(function, x, terms, {.operands = true, .results = true});
  if (formats::is_nan(kFp32, kept.low)) return kept;
  const auto before = [](Bits a, Bits b) {
    return formats::ordered(kFp32, a) < formats::ordered(kFp32, b);
  };
  return {std::min(kept.low, other.low, before), std::max(kept.high, other.high, before)};
}

Enclosure enclosure_of(const soft::Function& function, const formats::Tensor& x, const Terms& terms,
                       const Flushing& flushing) {
  formats::Tensor low = formats::Tensor::zeros(kFp32, x.count());
  formats::Tensor high = low;
  constexpr std::size_t kPart = 512;
  fast::for_each_part((x.count() + kPart - 1) / kPart, 0, fast::Direction::kNearEven,
                      [&](std::size_t part) {
                        const std::size_t end = std::min(x.count(), (part + 1) * kPart);
                        for (std::size_t i = part * kPart; i < end; ++i) {
                          const Range range = allowed(function, x.at(i), terms, flushing);
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
