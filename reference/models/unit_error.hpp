// SPDX-License-Identifier: Apache-2.0
// A bound on the distance of a matrix unit's result from the exact sum, c included: an absolute
// distance that no evaluation by the row's rule (unit_rules.hpp) exceeds for these operands.
//
// The analysis is that of block fused multiply-add units by Blanchard, Higham, Lopez, Mary and
// Pranesh, "Mixed precision block fused multiply-add", SIAM J. Sci. Comput. 42, 2020, with the
// alignment that Fasi, Higham, Mikaitis and Pranesh found, PeerJ Comput. Sci. 7, e330, 2021. In
// each step every rounding loses at most its unit roundoff, relative to the sum of all magnitudes
// and errors so far, or a part of the smallest number. Before the rounding:
//
//   kTruncated     n products and c lose less than (n + 1) 2^(M - F) to the grid. M, the largest
//                  exponent, is computed from the unnormalised products (so subnormal operands,
//                  whose exponent is larger than their size, raise the grid) and from the largest
//                  possible value of c.
//   kFloored       the same; the sum of products loses as much once more where c is added, and
//                  there is one more rounding, to 31 bits. A c of zero has the least exponent,
//                  not none.
//   kFlooredSplit  two more losses, where the sums over even and over odd k are added.
//   kFlushedPairs  products with a subnormal operand are lost entirely, and each operation and c
//                  lose less than the smallest normal number. The depth is that of the tree of
//                  products, plus the product and the addition of c.
//   kEvenOdd       the same, but subnormal operands of formats with a wider range are kept. The
//                  depth is that of a chain over half of k, plus two additions.
//   kFlushedChain  as kEvenOdd; the depth is the number of products.
//   kOddPairs      as kEvenOdd; the depth is that of a chain of products, c last, and every
//                  rounding loses twice as much.
//   kExact, kFmaChain   nothing.
//
// There is no limit for the rules that take scales and for kThroughHalf, for fp32 words in tf32
// units, and where a sum may overflow, that is, where the sum of magnitudes has the largest
// exponent of a format in use.
#pragma once

#include <optional>

#include "reference/models/magnitude.hpp"
#include "reference/models/unit.hpp"

namespace halfmark::models {

// Whether the rule has a limit and the unit takes these operands unchanged.
[[nodiscard]] bool has_error_limit(const Unit& unit, const Format& a, const Format& b);

// The limit for the sum stored in `result`. None in the cases listed at the top of this file.
[[nodiscard]] std::optional<Magnitude> unit_error_limit(const Unit& unit, const Vector& a,
                                                        const Vector& b, std::size_t count,
                                                        const std::optional<Encoded>& c,
                                                        const Format& result);

}  // namespace halfmark::models
