// SPDX-License-Identifier: Apache-2.0
// How far what a matrix unit gives may lie from the exact sum, c included: an absolute distance
// that no evaluation by the row's rule (unit_rules.hpp) exceeds, for these operands.
//
// The analysis is that of block fused multiply-add units by Blanchard, Higham, Lopez, Mary and
// Pranesh, "Mixed precision block fused multiply-add", SIAM J. Sci. Comput. 42, 2020, with the
// alignment that Fasi, Higham, Mikaitis and Pranesh, PeerJ Comput. Sci. 7, e330, 2021, found. In
// each step every rounding loses at most its unit roundoff, relative to all magnitudes and errors
// so far, or a part of the smallest number. Before it:
//
//   kTruncated     n products and c lose less than (n + 1) 2^(M - F) to the grid. M, the largest
//                  exponent, is taken from the products as they stand in the operands (so that
//                  subnormal ones, whose exponent is larger than their size, raise the grid) and
//                  from what c may have become.
//   kFloored       the same, and the sum of products as much once more where c joins it; one
//                  rounding to 31 bits besides. A c of zero has the least exponent, not none.
//   kFlooredSplit  two more, where the sums over even and over odd k join.
//   kFlushedPairs  products with a subnormal operand are lost whole, and less than the smallest
//                  normal number in each operation and of c. The depth is that of the tree of
//                  products, and the product and the addition of c.
//   kEvenOdd       the same; subnormal operands of a format with a wider range than that are kept.
//                  The depth is that of a chain over half of k, and two additions.
//   kExact, kFmaChain   nothing.
//
// There is no limit for the rules that take scales and for kThroughHalf, for fp32 words in units of
// tf32, and where a sum may overflow: where the sum of magnitudes has the largest exponent of a
// format in use.
#pragma once

#include <optional>

#include "reference/models/magnitude.hpp"
#include "reference/models/unit.hpp"

namespace halfmark::models {

// Whether the rule has a limit and the unit takes these operands as they are.
[[nodiscard]] bool has_error_limit(const Unit& unit, const Format& a, const Format& b);

// Of the sum stored in `result`. None where the comment above has none.
[[nodiscard]] std::optional<Magnitude> unit_error_limit(const Unit& unit, const Vector& a,
                                                        const Vector& b, std::size_t count,
                                                        const std::optional<Encoded>& c,
                                                        const Format& result);

}  // namespace halfmark::models
