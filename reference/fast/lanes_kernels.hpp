// SPDX-License-Identifier: Apache-2.0
// Vector code for lanes.hpp (fp16, bf16 and fp32 in memory, fp32 in lanes) and for preparing the
// operands of exact sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct LanesKernels {
  void (*widen_fp16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_bf16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*narrow_fp16)(const float* from, std::size_t count, std::uint16_t* to);
  void (*narrow_bf16)(const float* from, std::size_t count, std::uint16_t* to);
  void (*narrow_fp32)(const float* from, std::size_t count, std::uint32_t* to);
  // values = alpha * values, then fma(beta, addends, values) unless addends is null.
  void (*scale)(float* values, std::size_t count, float alpha, float beta, const float* addends);
  // Updates the largest |value| and the smallest nonzero one, as encodings. Infinities and NaNs
  // count as the largest.
  void (*magnitudes)(const float* values, std::size_t count, std::uint32_t* largest,
                     std::uint32_t* least);
  // to = from * scale.
  void (*to_doubles)(const float* from, std::size_t count, double scale, double* to);
  // high = value + magic - magic, rest = value - high. For whole cache lines only.
  void (*slice)(const double* values, std::size_t count, double magic, double* high, double* rest);
};

// Null for kPortable.
[[nodiscard]] const LanesKernels* lanes_kernels(Target target);

}  // namespace halfmark::fast
