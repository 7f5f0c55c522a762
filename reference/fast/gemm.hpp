// SPDX-License-Identifier: Apache-2.0
// A fast version of the matrix product in reference/operators/gemm.hpp, with the same contract, the
// same bits and the same exceptions. The soft-float evaluates problems without a fast path.
//
// Assumption: hardware operations are used only for the default machine, which the hardware
// implements inside a FloatingPointScope; every other machine uses the soft-float.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

// Whether gemm() has a fast path for these operands (without scales) on this target.
[[nodiscard]] bool covers(const formats::Format& a, const formats::Format& b,
                          const models::Arithmetic& arithmetic, const models::Machine& machine,
                          Target target);

[[nodiscard]] formats::Tensor gemm(const operators::GemmProblem& problem, const formats::Tensor& a,
                                   const formats::Tensor& b, const formats::Tensor* c,
                                   const models::Arithmetic& arithmetic,
                                   const models::Machine& machine, const Options& options = {});

}  // namespace halfmark::fast
