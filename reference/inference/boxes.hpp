// SPDX-License-Identifier: Apache-2.0
// Black boxes for tests: every arithmetic of the reference behind a callable, and some boxes that
// match no arithmetic.
#pragma once

#include "reference/inference/hypothesis.hpp"
#include "reference/inference/subject.hpp"

namespace halfmark::inference {

// The reference itself, evaluated with the given arithmetic.
[[nodiscard]] inline Subject box_of(const Arithmetic& arithmetic, const Format& in,
                                    const Format& out, std::size_t k,
                                    const Format* c = &formats::kFp32) {
  return {.a = &in,
          .b = &in,
          .c = c,
          .d = &out,
          .k = k,
          .gemm = [arithmetic](const GemmProblem& p, const Tensor& a, const Tensor& b,
                               const Tensor* addend) {
            Question question{p, a, b, addend == nullptr ? Tensor{} : *addend};
            return predict({arithmetic, {}}, question);
          }};
}

[[nodiscard]] inline Subject box_of(std::string_view name, const Format& in, const Format& out,
                                    std::size_t k, const Format* c = &formats::kFp32) {
  return box_of(*models::parse_arithmetic(name), in, out, k, c);
}

}  // namespace halfmark::inference
