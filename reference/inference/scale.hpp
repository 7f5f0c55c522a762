// SPDX-License-Identifier: Apache-2.0
// How large and how small the numbers of a probe may be: products 2^large that swamp products
// 2^small in every accumulator considered, within the ranges of the operands, of c and of d.
//
// If A has enough range, b is a column of ones and every probe is a row of A. If not (8-bit
// formats), the factor of the one small product must be small in B too, and probes whose small
// product is at the same position share a column.
#pragma once

#include <optional>
#include <string>

#include "reference/inference/subject.hpp"

namespace halfmark::inference {

// 2^exponent; the exponent must be in the range of the format's normal numbers.
[[nodiscard]] Bits power_of_two(const Format& format, int exponent, bool negative = false);

// The exponents of a product's factors.
struct Factors {
  int a = 0;
  int b = 0;

  [[nodiscard]] int product() const { return a + b; }
};

struct Scale {
  Factors large, small;

  [[nodiscard]] int range() const { return large.product() - small.product(); }
  // Whether small products need their own column.
  [[nodiscard]] bool needs_columns() const { return large.b != small.b; }
};

// The smallest range that swamps a unit in an fp32 sum or in a fused sum of 24 + 2 fraction bits.
inline constexpr int kLeastRange = 27;

// Whether c can hold the probes too.
[[nodiscard]] bool addend_fits(const Subject& subject, const Scale& scale);

// The scales to try, the most cautious first: every accumulator can represent 2^15. Empty if the
// operands' ranges are too small for any.
[[nodiscard]] std::vector<Scale> scales_for(const Subject& subject);

}  // namespace halfmark::inference
