// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/block_sizes.hpp"

#include <algorithm>
#include <set>

namespace halfmark::suites {
namespace {

constexpr std::size_t kEverySize = 32;
constexpr std::size_t kEveryEighth = 128;
constexpr std::size_t kLargestTile = 256;
constexpr std::size_t kEveryTail = 256;

std::size_t after(std::size_t size) {
  if (size < kEverySize) return size + 1;
  if (size < kEveryEighth) return size + 8;
  const bool power = (size & (size - 1)) == 0;
  return power ? size + size / 2 : size / 3 * 4;
}

}  // namespace

std::vector<std::size_t> usual_blocks(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 2; size <= most; size = after(size)) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> power_blocks(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 2; size <= most; size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> blocks_by_tail(std::size_t count, std::size_t most) {
  std::set<std::size_t> tails{0};
  std::vector<std::size_t> sizes;
  for (const std::size_t size : usual_blocks(most)) {
    if (tails.insert(count % size).second) sizes.push_back(size);
  }
  for (std::size_t tail = 1; tail <= kEveryTail && 2 * tail < count; ++tail) {
    if (tails.insert(tail).second) sizes.push_back(count - tail);
  }
  return sizes;
}

bool may_be_last_tile(std::size_t limit, std::size_t count) {
  std::vector<std::size_t> tiles = power_blocks(kLargestTile);
  for (const std::size_t tile : power_blocks(kLargestTile / 2)) tiles.push_back(tile / 2 * 3);
  return std::any_of(tiles.begin(), tiles.end(),
                     [&](std::size_t tile) { return limit + tile > count && limit % tile == 0; });
}

}  // namespace halfmark::suites
