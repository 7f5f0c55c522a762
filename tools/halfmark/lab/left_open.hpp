// SPDX-License-Identifier: Apache-2.0
// Which results of a library no contract row asserts, although a training has such operands. The
// suites leave these operands out (suites/activation/suite.cpp, operand and upstream).
#pragma once

#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

struct ComparedElement {
  const formats::Format& format;
  formats::Bits expected, actual;
};

/// Of element i of the operator's result. GELU and its gradient at infinities: formulas in use give
/// a NaN. Its gradient of an infinite upstream one: those that add two products give a NaN, too; a
/// number is wrong unless the derivative may be zero, where a NaN is expected. The gradient of ReLU
/// at a NaN, or of an upstream one that is not finite: some multiply by zero where others give
/// zero.
[[nodiscard]] bool is_left_open(const Operator& op, const Operands& operands, std::size_t i,
                                const ComparedElement& element);

}  // namespace halfmark::tools::lab
