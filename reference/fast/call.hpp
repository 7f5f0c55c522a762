// SPDX-License-Identifier: Apache-2.0
// The arguments that gemm.cpp passes to a path, and the paths that it chooses from. Internal to
// the engine.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

struct Call {
  const operators::GemmProblem& problem;
  const formats::Tensor& a;
  const formats::Tensor& b;
  const formats::Tensor* c;
  const models::Arithmetic& arithmetic;
  const Options& options;
  Target target;
};

// Each pair: whether the path supports these formats and this arithmetic, and the path itself.

// fp32 sums in ascending or descending order.
[[nodiscard]] bool covers_fp32_chain(const formats::Format& a, const formats::Format& b,
                                     const models::Arithmetic& arithmetic);
[[nodiscard]] formats::Tensor fp32_chain(const Call& call);

// fp32 sums of pairs.
[[nodiscard]] bool covers_fp32_pairwise(const formats::Format& a, const formats::Format& b,
                                        const models::Arithmetic& arithmetic);
[[nodiscard]] formats::Tensor fp32_pairwise(const Call& call);

// Sums in fp16 or bf16, every step rounded once.
[[nodiscard]] bool covers_half_chain(const formats::Format& a, const formats::Format& b,
                                     const models::Arithmetic& arithmetic);
[[nodiscard]] formats::Tensor half_chain(const Call& call);

// The sum without error, rounded once.
[[nodiscard]] bool covers_exact(const formats::Format& a, const formats::Format& b,
                                const models::Arithmetic& arithmetic);
[[nodiscard]] formats::Tensor exact_sums(const Call& call);

// Matrix units of the rule kTruncated.
[[nodiscard]] bool covers_unit(const formats::Format& a, const formats::Format& b,
                               const models::Arithmetic& arithmetic);
[[nodiscard]] formats::Tensor unit_chain(const Call& call);

}  // namespace halfmark::fast
