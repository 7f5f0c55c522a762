// SPDX-License-Identifier: Apache-2.0
// The error of a computed sum, and an a-priori bound on the error that its arithmetic can cause.
// All in integers.
//
// The unit is the ulp of the exact result x in the format of the result: 2^(e - p + 1), where e is
// the exponent of x, at least the format's smallest, and p the precision (Muller et al., "Handbook
// of Floating-Point Arithmetic", 2.6, the definition of Harrison restricted to the side of x).
// Errors are exact rational distances, printed as ulps and a fixed-point fraction of 32 bits.
//
// The bound (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1 and 4.2):
// if no operand of the sum passes through more than m roundings of unit roundoff u on its way to
// the root, then in every order
//
//     |error| <= gamma * (sum |a_k b_k| + |c|) + underflow,   gamma = m u / (1 - m u).
//
// Here m u is the largest sum of unit roundoffs along a path of the order's tree, so options with
// other formats count with their own roundoff: 2^-p to nearest, 2^(1-p) in another direction.
// (Jeannerod and Rump, "Improved error bounds for inner products in floating-point arithmetic",
// 2013, show that m u itself suffices to nearest; the classical form holds for every direction.)
// Underflow: every rounding adds at most the smallest number, or the smallest normal number where
// results are flushed, and gamma < 1 at most doubles it.
//
// Where subnormal operands are flushed, the bound adds the full size of the products and the addend
// that contain one; a subnormal sum that the next step flushes counts as a flushed result.
//
// Matrix units: unit_error.hpp.
//
// There is no bound when gamma would reach 1, when a sum may overflow (the sum of magnitudes has
// the largest exponent of a format in use), when an `exact` result overflows, saturates or stands
// for a zero that its format lacks, for units without a bound, and for the combined partial sums of
// units.
#pragma once

#include "reference/models/arithmetic.hpp"
#include "reference/models/magnitude.hpp"

namespace halfmark::models {

struct Ulps {
  static constexpr int kFractionBits = 32;
  static constexpr std::uint64_t kBeyond = kBeyondWord;

  std::uint64_t parts = 0;  // in 2^-32 ulp; kBeyond: 2^32 ulps or more

  [[nodiscard]] constexpr auto operator<=>(const Ulps&) const = default;
};

// "0.5", "3.25", "4294967296 or more"; exact.
[[nodiscard]] std::string print(const Ulps& ulps);

// The sum of a_k * b_k for k < count, and c if given, without error.
[[nodiscard]] ExactSum exact_dot_sum(const Vector& a, const Vector& b, std::size_t count,
                                     const std::optional<Encoded>& c);

// The distance |computed - exact|, truncated to parts below 2^21 ulps, to 53 significant bits above
// that. None if either is not finite, unless both are the same infinity.
[[nodiscard]] std::optional<Ulps> ulp_error(const ExactSum& exact, const Format& format,
                                            Bits computed);

// An upper bound of the error of the sum stored in `result`, rounded up. None in the cases listed
// at the top of this file.
[[nodiscard]] std::optional<Ulps> error_bound(const Arithmetic& arithmetic, const Vector& a,
                                              const Vector& b, std::size_t count,
                                              const std::optional<Encoded>& c,
                                              const Format& result);

}  // namespace halfmark::models
