// SPDX-License-Identifier: Apache-2.0
// How kernels/gemm.hk is launched: its definitions, its grid and its argument list. Also used by
// suites whose operators contain matrix products.
#pragma once

#include <optional>
#include <string>

#include "suites/core/execute/plan.hpp"
#include "suites/gemm/view.hpp"

namespace halfmark::suites::gemm {

/// GEMM_TILE and GEMM_HEIGHT of the kernel: a work-group has kTile x kTile work-items, and computes
/// kTileRows x kTile elements.
inline constexpr std::uint32_t kTile = 16, kTileRows = 64;

struct Product {
  std::size_t m = 0, n = 0, k = 0, batch = 1;
  const formats::Format* operands = nullptr;
  const formats::Format* operands_of_b = nullptr;  // if they differ from those of A
  const formats::Format* accumulator = nullptr;
  const formats::Format* output = nullptr;
  std::optional<formats::Bits> alpha = {}, beta = {};  // fp32; both or neither
  View a, b, c, d;                                     // rows of C and D are dense
  std::string a_name, b_name, c_name, d_name;  // tensor names; C is not needed without scalars
};

[[nodiscard]] Launch launch_of(const Product& product);

}  // namespace halfmark::suites::gemm
