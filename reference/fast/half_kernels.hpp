// SPDX-License-Identifier: Apache-2.0
// Tiles of sums in fp16 and bf16 (tile_kernels.hpp defines a tile).
//
// Without instructions for such sums, operands and sums are fp32 numbers. A product is exact; the
// sum is truncated toward zero and, if that lost something, made odd. One rounding to the narrow
// format then equals one rounding of the exact sum, because fp32 has more than two bits more (Boldo
// and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
// odd", IEEE Trans. Computers 57, 2008).
//
// Assumptions: (1) the thread rounds toward zero; (2) a product of two operands is an fp32 number;
// (3) NaN operands are the default NaN.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct HalfKernels {
  using Function = void(const float* a, const float* b, std::size_t depth, float* sums,
                        std::size_t stride);
  std::size_t rows, columns;  // of a tile
  Function *fp16_fma, *fp16_mul, *bf16_fma, *bf16_mul;
};

// Null for kPortable.
[[nodiscard]] const HalfKernels* half_kernels(Target target);

// With instructions that fuse in fp16 and round in the thread's direction: to nearest even.
struct Fp16Kernels {
  using Function = void(const std::uint16_t* a, const std::uint16_t* b, std::size_t depth,
                        std::uint16_t* sums, std::size_t stride);
  std::size_t rows, columns;
  Function *fma, *mul;
};

// Null for targets without them.
[[nodiscard]] const Fp16Kernels* fp16_kernels(Target target);

}  // namespace halfmark::fast
