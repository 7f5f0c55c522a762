// SPDX-License-Identifier: Apache-2.0
// Vector code behind lanes.hpp: fp16, bf16 and fp32 in memory, fp32 in lanes.
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
};

// Null for kPortable.
[[nodiscard]] const LanesKernels* lanes_kernels(Target target);

}  // namespace halfmark::fast
