// SPDX-License-Identifier: Apache-2.0
// Vector code for convert.hpp: rounds fp32 lanes to the words of any narrower format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

// The properties of a format that rounding needs: a magnitude is a multiple of its last place.
struct RoundingRule {
  int cut;                    // fp32 fraction bits below the format's precision, at least one
  std::uint32_t rebias;       // from truncated fp32 encodings to the format's
  std::uint32_t min_normal;   // fp32 encoding of the smallest normal number
  std::uint32_t grid;         // fp32 encoding of the power of two whose last place is that of the
                              // subnormal numbers
  std::uint32_t max_finite;   // of the format, positive
  std::uint32_t overflow[2];  // result beyond it, positive and negative
  std::uint32_t zero[2];      // positive and negative
  std::uint32_t sign, nan;    // of the format
  int padding;                // bits of a word below the encoding
};

struct ConvertKernels {
  // Rounds `count` lanes to words of 1, 2 or 4 bytes.
  using Round = void (*)(const float* from, std::size_t count, const RoundingRule& rule,
                         std::byte* to);
  Round bytes, halves, words;
};

// Null for kPortable.
[[nodiscard]] const ConvertKernels* convert_kernels(Target target);

}  // namespace halfmark::fast
