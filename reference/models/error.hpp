// SPDX-License-Identifier: Apache-2.0
// How wrong a computed sum is, and how wrong its arithmetic may make it. In integers throughout.
//
// The unit is the ulp of the exact result x in the format of the answer: 2^(e - p + 1) with e the
// exponent of x, at least the format's smallest, and p its precision (Muller et al., "Handbook of
// Floating-Point Arithmetic", 2.6, the definition of Harrison restricted to the side of x). Errors
// are exact rational distances, printed as ulps and a fixed-point fraction of 32 bits.
//
// The bound (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1 and 4.2):
// when no operand of the sum passes more than m roundings of unit roundoff u on its way to the
// root,
//
//     |error| <= gamma * (sum |a_k b_k| + |c|) + underflow,   gamma = m u / (1 - m u),
//
// whatever the order. Here m u is the largest sum of the unit roundoffs that lie on a path through
// the order's tree, so that options with other formats count as what they are: 2^-p to nearest,
// 2^(1-p) in another direction. (Jeannerod and Rump, "Improved error bounds for inner products in
// floating-point arithmetic", 2013, show that m u itself suffices to nearest; the classical form
// holds for every direction.) Underflow: every rounding adds at most the smallest number, the
// smallest normal number where results are flushed, and gamma < 1 at most doubles it.
//
// Where subnormal operands are flushed, the products and the addend that have one are lost whole,
// which is added; a subnormal sum that the next step flushes is a flushed result.
//
// Matrix units: unit_error.hpp.
//
// There is no bound when gamma would reach 1, when a sum may overflow (the sum of magnitudes has
// the largest exponent of a format in use), for units without one,
// and for their partial sums, combined.
#pragma once

#include "reference/models/arithmetic.hpp"
#include "reference/models/magnitude.hpp"

namespace halfmark::models {

struct Ulps {
  static constexpr int kFractionBits = 32;
  static constexpr std::uint64_t kBeyond = kBeyondWord;

  std::uint64_t parts = 0;  // of 2^-32 ulp; kBeyond: 2^32 ulps or more

  [[nodiscard]] constexpr auto operator<=>(const Ulps&) const = default;
};

// "0.5", "3.25", "4294967296 or more"; exact.
[[nodiscard]] std::string print(const Ulps& ulps);

// The sum of a_k * b_k for k < count, and c when given, without error.
[[nodiscard]] ExactSum exact_dot_sum(const Vector& a, const Vector& b, std::size_t count,
                                     const std::optional<Encoded>& c);

// |computed - exact|, truncated to parts below 2^21 ulps, to 53 significant bits above. None when
// either is not finite, unless both are the same infinity.
[[nodiscard]] std::optional<Ulps> ulp_error(const ExactSum& exact, const Format& format,
                                            Bits computed);

// What the error of the sum, stored in `result`, cannot exceed; rounded up. None where the comment
// above has none.
[[nodiscard]] std::optional<Ulps> error_bound(const Arithmetic& arithmetic, const Vector& a,
                                              const Vector& b, std::size_t count,
                                              const std::optional<Encoded>& c,
                                              const Format& result);

}  // namespace halfmark::models
