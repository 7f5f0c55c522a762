// SPDX-License-Identifier: Apache-2.0
// The innermost loops of matrix products: a tile of outputs held in registers, one step over k
// after the other. Outputs are lanes; the order of the steps of one output is the order of the
// packed operands, and no term is ever split off into a second sum.
//
// A block of A holds `rows` rows of up to kBlockDepth elements, kRowStride apart; a panel of B
// holds the `columns` elements of one k side by side, k after k. Sums are read, taken further and
// written back, so that a long k may come in blocks without a bit changing.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

inline constexpr std::size_t kBlockDepth = 256;
// Not a multiple of a page: rows of A would fall on the same cache lines.
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
