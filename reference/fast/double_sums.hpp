// SPDX-License-Identifier: Apache-2.0
// Sums of products in fp64, for bounds. Decides nothing about rounding once: each fused step
// rounds, so a result is within k 2^-53 (1 + 2^-20) of the exact sum, relative to the sum of
// magnitudes, as long as k is below 2^32. Products of fp32 numbers neither overflow nor underflow
// in fp64.
#pragma once

#include <optional>

#include "reference/fast/parallel.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

enum class Terms : std::uint8_t { kProducts, kMagnitudes };

/// The sums of the problem's products or of their magnitudes, dense, in fp64; a sum with a term
/// that is not finite is not finite either. Nothing if the operands do not fit fp32, carry scales,
/// or the processor lacks the vector code.
[[nodiscard]] std::optional<formats::Tensor> double_sums(const operators::GemmProblem& problem,
                                                         const formats::Tensor& a,
                                                         const formats::Tensor& b, Terms terms,
                                                         const Options& options = {});

}  // namespace halfmark::fast
