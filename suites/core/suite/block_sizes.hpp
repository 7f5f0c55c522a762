// SPDX-License-Identifier: Apache-2.0
// The sizes of blocks, tiles, lanes and parts that hypotheses try. What an implementation cuts its
// work into is not ours to know: every small size, and the larger ones that hardware and its
// programmers choose. Decides nothing about an operator.
#pragma once

#include <cstddef>
#include <vector>

namespace halfmark::suites {

/// Ascending, from 2 to at most `most`: every size to 32, multiples of 8 to 128, then powers of two
/// and their halves again (192, 384, ...).
[[nodiscard]] std::vector<std::size_t> usual_blocks(std::size_t most);

/// Powers of two alone, where each attempt is dear.
[[nodiscard]] std::vector<std::size_t> power_blocks(std::size_t most);

/// Blocks that leave each different tail of `count`: of usual_blocks(most) the first with each
/// remainder that is not zero, then what leaves the other tails of up to 256.
[[nodiscard]] std::vector<std::size_t> blocks_by_tail(std::size_t count, std::size_t most);

/// Whether what lies from `limit` on, of `count`, may be the incomplete tile at the end.
[[nodiscard]] bool may_be_last_tile(std::size_t limit, std::size_t count);

}  // namespace halfmark::suites
