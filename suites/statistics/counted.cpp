// SPDX-License-Identifier: Apache-2.0
#include "suites/statistics/counted.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::statistics {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kInfinity = 0x7f800000;
constexpr Bits kFraction = 0x7fffff;

// How many fp32 numbers below 2^exponent have a binary logarithm that fp32 rounds to `exponent`.
// They lie within half of its spacing there, times ln 2.
Bits rounded_up_below(int exponent) {
  constexpr Bits kLn2 = 710, kOne = 1024;
  const auto size = static_cast<Bits>(std::abs(exponent));
  if (size == 0) return 0;
  const bool is_border = exponent > 0 && std::has_single_bit(size);  // finer below it
  return std::bit_floor(size) * kLn2 / (is_border ? 2 * kOne : kOne);
}

std::size_t place_of(Bits magnitude, const Variant& variant) {
  if (magnitude == 0) return kZero;
  const bool is_nan = magnitude > kInfinity;
  if (magnitude >= kInfinity && !(is_nan && variant.misses_nan)) return kNotFinite;
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (variant.rounds_exponent &&
      (magnitude & kFraction) + rounded_up_below(exponent + 1) > kFraction)
    ++exponent;
  if (exponent < kFirstBinade) return kBelow;
  const auto place = static_cast<std::size_t>(exponent - kFirstBinade) + kBelow + 1;
  return std::min(place, kAbove);
}

}  // namespace

Counted counted(const Tensor& x, const Variant& variant) {
  Counted result{Tensor::zeros(kFp32, kPlaces), Tensor::zeros(kFp32, 2)};
  const std::size_t count = x.count();
  const std::size_t end = variant.misses_tail && count > kStrip ? count / kStrip * kStrip : count;
  Bits most = 0;
  std::size_t first = count;
  for (std::size_t i = 0; i < end; ++i) {
    const bool is_lost = variant.subnormals_are_zeros && formats::is_subnormal(*x.format, x.at(i));
    const Bits wide = is_lost ? 0 : soft::convert(*x.format, kFp32, x.at(i)).bits;
    const Bits magnitude = formats::magnitude(kFp32, wide);
    const std::size_t place = place_of(magnitude, variant);
    result.histogram.set(place, result.histogram.at(place) + 1);
    const bool is_finite = place != kNotFinite && magnitude < kInfinity;
    if (is_finite || (variant.greatest_is_infinite && magnitude == kInfinity))
      most = std::max(most, magnitude);
    if (place == kNotFinite && (first == count || variant.first_is_last)) first = i;
  }
  result.summary.set(0, most);
  result.summary.set(1, first);
  return result;
}

}  // namespace halfmark::suites::statistics
