// SPDX-License-Identifier: Apache-2.0
// Vector code for elementwise.hpp and sweep.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reference/fast/elementwise.hpp"
#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct ElementwiseKernels {
  // Operands beyond the arity may be null.
  using Run = void (*)(const std::byte* a, const std::byte* b, const std::byte* c,
                       std::size_t count, std::byte* to);
  // results[i] = a op (b + i); count is a multiple of kPairStep, and b + i wraps at 2^16.
  using Pairs = void (*)(std::uint16_t a, std::uint16_t b, std::size_t count,
                         std::uint16_t* results);
  static constexpr std::size_t kPairStep = 32;

  // Indexed by operation.
  std::array<Run, kOperationCount> fp16, bf16, fp32;
  std::array<Pairs, kOperationCount> fp16_pairs, bf16_pairs;  // null for operations that are
                                                              // not binary
};

// Null for kPortable.
[[nodiscard]] const ElementwiseKernels* elementwise_kernels(Target target);

}  // namespace halfmark::fast
