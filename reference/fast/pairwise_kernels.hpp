// SPDX-License-Identifier: Apache-2.0
// Vector code for pairwise sums in fp32: the tree over one block of k, one output per lane.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

// Sums of the tree that models/order.hpp calls pairwise, over 1 to kBlockDepth products of a tile
// (tile_kernels.hpp). Writes the roots to `roots`, `stride` apart.
struct PairwiseKernels {
  using Function = void(const float* a, const float* b, std::size_t depth, float* roots,
                        std::size_t stride);
  std::size_t rows, columns;  // of a tile
  Function *fma, *mul;
};

// Null for kPortable.
[[nodiscard]] const PairwiseKernels* pairwise_kernels(Target target);

}  // namespace halfmark::fast
