// SPDX-License-Identifier: Apache-2.0
// Passes over tensors in blocks that stay in a cache: load to fp32 lanes, change them, store.
// Decides the size of a block and which thread takes it, neither of which affects a bit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "reference/fast/lanes.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/operators/lanes.hpp"

namespace halfmark::fast {

// Elements per part: whole chunks of the reduction's lanes, small compared with a cache.
inline constexpr std::size_t kBlock = 4096;
static_assert(kBlock % operators::kLanes == 0);

// One block of a pass over arrays of equal length.
struct Block {
  std::size_t first, count;
};

template <typename Body>
void for_each_block(std::size_t count, const Options& options, const Body& body) {
  for_each_part((count + kBlock - 1) / kBlock, options.threads, Direction::kNearEven,
                [&](std::size_t part) {
                  const std::size_t first = part * kBlock;
                  body(Block{first, std::min(kBlock, count - first)});
                });
}

// Applies format(map(inputs ...)) element by element; `change` works in place on the lanes of the
// first input, and is given all lanes and the block.
template <typename Change, typename... Inputs>
[[nodiscard]] formats::Tensor mapped_blocks(const formats::Format& format, const Options& options,
                                            const Change& change, const formats::Tensor& first,
                                            const Inputs&... others) {
  const Target target = options.chosen_target();
  formats::Tensor result = formats::Tensor::zeros(format, first.count());
  for_each_block(first.count(), options, [&](const Block& block) {
    alignas(64) std::array<std::array<float, kBlock>, 1 + sizeof...(others)> lanes;
    std::size_t next = 0;
    const auto load = [&](const formats::Tensor& from) {
      widen(target, from, block.first, block.count, lanes[next++].data());
    };
    load(first);
    (load(others), ...);
    change(lanes, block);
    narrow(target, lanes[0].data(), block.count, result, block.first);
  });
  return result;
}

}  // namespace halfmark::fast
