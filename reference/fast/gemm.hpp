// SPDX-License-Identifier: Apache-2.0
// The matrix product of reference/operators/gemm.hpp, fast: the same contract, the same bits, the
// same exceptions. Problems without a fast path are handed to the soft-float.
//
// Assumption: hardware operations are used only on behalf of the default machine, which is what
// hardware is once a FloatingPointScope holds; every other machine goes to the soft-float.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

// Whether gemm() has a path of its own for these operands (without scales) on this target.
[[nodiscard]] bool covers(const formats::Format& a, const formats::Format& b,
                          const models::Arithmetic& arithmetic, const models::Machine& machine,
                          Target target);

[[nodiscard]] formats::Tensor gemm(const operators::GemmProblem& problem, const formats::Tensor& a,
                                   const formats::Tensor& b, const formats::Tensor* c,
                                   const models::Arithmetic& arithmetic,
                                   const models::Machine& machine, const Options& options = {});

}  // namespace halfmark::fast
