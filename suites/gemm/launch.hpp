// SPDX-License-Identifier: Apache-2.0
// How kernels/gemm.hk is launched: its definitions, its grid and its long list of arguments. Shared
// with suites whose operators contain matrix products.
#pragma once

#include <string>

#include "reference/operators/gemm.hpp"
#include "suites/core/plan.hpp"

namespace halfmark::suites::gemm {

inline constexpr std::uint32_t kTile =
    16;  // GEMM_TILE of the kernel: a group has its square of items

struct Product {
  operators::GemmProblem problem;
  const formats::Format* operands = nullptr;
  const formats::Format* accumulator = nullptr;
  std::size_t d_stride = 0;  // distance of the rows of D
  std::string a, b, c, d;    // tensors; c may be empty when there are no scalars
};

[[nodiscard]] Launch launch_of(const Product& product);

/// HM_FP16 for fp16: the dialect names formats in capitals.
[[nodiscard]] std::string format_word(const formats::Format& format);

}  // namespace halfmark::suites::gemm
