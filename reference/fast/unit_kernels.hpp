// SPDX-License-Identifier: Apache-2.0
// Vector code for matrix units of the rule kTruncated (models/unit_rules.hpp), one output per lane.
//
// Products of two significands are exact in fp32 (at most 24 bits). Scaled so that the block's grid
// has place 1, a conversion to an integer truncates them as the rule requires; sixteen of them
// without c stay below 2^31. The sum with c and its place are exact in fp64, and the only rounding
// is the conversion to the result.
//
// Assumptions: (1) the thread rounds toward zero; (2) operands are finite; (3) fraction_bits is at
// most 25; (4) zero_exponent is at most c_least. A state that overflows, or that would be a zero
// after a negative c (whose sign depends on all terms), becomes infinite or NaN and stays so; the
// caller recomputes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct TruncatedBlock {
  std::size_t length;             // L
  int fraction_bits;              // F
  int zero_exponent;              // a lower limit for the largest exponent
  int a_least, b_least, c_least;  // exponents of the smallest normal numbers of the formats
  std::uint32_t keep;             // the bits of an fp32 result that the unit returns
  bool to_fp16;                   // round to the nearest fp16, instead of toward zero to fp32
};

struct UnitKernels {
  using Function = void(const TruncatedBlock& block, const float* a, const float* b,
                        std::size_t depth, float* states, std::size_t stride);
  std::size_t rows, columns;  // of a tile
  Function* narrow;           // no product, scaled or not, leaves the range of fp32
  Function* wide;             // any exponents: bf16, tf32
};

// Null for kPortable.
[[nodiscard]] const UnitKernels* unit_kernels(Target target);

}  // namespace halfmark::fast
