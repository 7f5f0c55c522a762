// SPDX-License-Identifier: Apache-2.0
// The sizes of blocks, tiles, lanes and parts that hypotheses try. How an implementation partitions
// its work is unknown, so these lists hold every small size and the larger ones that hardware and
// its programmers choose. Decides nothing about an operator.
#pragma once

#include <cstddef>
#include <vector>

namespace halfmark::suites {

/// Ascending, from 2 to at most `most`: every size to 32, multiples of 8 to 128, then powers of two
/// and one and a half times those (192, 384, ...).
[[nodiscard]] std::vector<std::size_t> usual_blocks(std::size_t most);

/// Only powers of two, for hypotheses whose evaluation is expensive.
[[nodiscard]] std::vector<std::size_t> power_blocks(std::size_t most);

/// Blocks that leave each different tail of `count`: the first of usual_blocks(most) for each
/// nonzero remainder, then blocks that leave the other tails of up to 256.
[[nodiscard]] std::vector<std::size_t> blocks_by_tail(std::size_t count, std::size_t most);

/// Whether the elements from `limit` to `count` can be the incomplete tile at the end.
[[nodiscard]] bool may_be_last_tile(std::size_t limit, std::size_t count);

}  // namespace halfmark::suites
