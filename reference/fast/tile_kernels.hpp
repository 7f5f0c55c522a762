// SPDX-License-Identifier: Apache-2.0
// The innermost loops of matrix products: a tile of outputs in registers, taken through k one step
// at a time. Outputs are lanes; the steps of one output happen in the order of the packed operands,
// and no term is ever moved to a second sum.
//
// A block of A has `rows` rows of up to kBlockDepth elements, kRowStride apart; a panel of B has
// the `columns` elements of one k next to each other, k after k. Kernels read, update and write
// back the sums, so a long k can be split into blocks without changing a bit.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

inline constexpr std::size_t kBlockDepth = 256;
// Not a multiple of a page, because otherwise rows of A would map to the same cache lines.
inline constexpr std::size_t kRowStride = kBlockDepth + 16;

template <typename T>
struct TileKernels {
  using Function = void(const T* a, const T* b, std::size_t depth, T* sums, std::size_t stride);
  std::size_t rows, columns;  // of a tile
  Function* fma;              // sum = fma(a, b, sum)
  Function* mul;              // sum = sum + round(a * b)
};

// Null for kPortable.
[[nodiscard]] const TileKernels<float>* fp32_tile_kernels(Target target);
[[nodiscard]] const TileKernels<double>* fp64_tile_kernels(Target target);

}  // namespace halfmark::fast
