// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/block_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace halfmark::suites {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(Blocks, EverySmallSizeAndTheUsualLargeOnes) {
  EXPECT_EQ((Sizes{2, 3, 4, 5}), usual_blocks(5));
  EXPECT_EQ((Sizes{}), usual_blocks(1));
  const Sizes all = usual_blocks(1024);
  for (const std::size_t size : {7u, 31u, 40u, 48u, 96u, 120u, 128u, 192u, 256u, 384u, 1024u})
    EXPECT_EQ(1, std::count(all.begin(), all.end(), size)) << size;
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ((Sizes{2, 4, 8, 16}), power_blocks(31));
}

TEST(Blocks, OneOfEachTail) {
  EXPECT_EQ((Sizes{3, 4, 6, 7}), blocks_by_tail(10, 10))
      << "tails of 1, 2, 4 and 3; others come again or are none";
  EXPECT_EQ((Sizes{2, 3, 4, 7, 6}), blocks_by_tail(11, 4)) << "tails of 1, 2, 3, then 4 and 5";
  for (std::size_t tail = 1; tail <= 256; ++tail) {
    const Sizes sizes = blocks_by_tail(1100, 64);
    EXPECT_TRUE(std::any_of(sizes.begin(), sizes.end(), [&](std::size_t size) {
      return 1100 % size == tail;
    })) << tail;
  }
}

TEST(Blocks, ATailBehindAMultipleOfATileMayBeItsLast) {
  EXPECT_TRUE(may_be_last_tile(16, 17));
  EXPECT_TRUE(may_be_last_tile(96, 127));
  EXPECT_FALSE(may_be_last_tile(100, 127)) << "no tile of more than 27 ends at 100";
  EXPECT_FALSE(may_be_last_tile(256, 512)) << "a tail of 256 is a whole tile";
  EXPECT_FALSE(may_be_last_tile(65400, 65537));
}

}  // namespace
}  // namespace halfmark::suites
