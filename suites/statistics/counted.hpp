// SPDX-License-Identifier: Apache-2.0
// The counts of kernels/statistics.hk, element by element, with the mistakes that such counts make.
#pragma once

#include <cstdint>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites::statistics {

/// The places of the histogram: zeros; below 2^-40; binades from 2^-40 to 2^19; 2^20 and above;
/// infinities and NaN.
inline constexpr std::size_t kPlaces = 64;
inline constexpr std::size_t kZero = 0, kBelow = 1, kAbove = 62, kNotFinite = 63;
inline constexpr int kFirstBinade = -40;

/// Elements that one group counts.
inline constexpr std::size_t kStrip = 16384;

struct Variant {
  bool subnormals_are_zeros = false;  // those of the tensor's format
  bool rounds_exponent = false;       // floor(log2) from a logarithm rounded to fp32
  bool misses_nan = false;            // as a number above all others
  bool misses_tail = false;           // what remains after the last whole strip
  bool greatest_is_infinite = false;  // infinities take part
  bool first_is_last = false;
};

struct Counted {
  formats::Tensor histogram;  // kPlaces whole numbers
  formats::Tensor summary;    // the greatest finite magnitude as fp32; the first not finite's index
};

[[nodiscard]] Counted counted(const formats::Tensor& x, const Variant& variant = {});

}  // namespace halfmark::suites::statistics
