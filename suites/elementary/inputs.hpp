// SPDX-License-Identifier: Apache-2.0
// The operands of the suite: for each fill (README.md) those that its name says, moved to where the
// bound at hand promises something.
#pragma once

#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// Elements of the fill `edges`, of functions of one operand or two: each special value, or each
/// pair of them.
[[nodiscard]] std::size_t edges_of(bool binary);

/// Tensors "x" and, of functions of two operands, "w".
[[nodiscard]] TensorSet inputs_of(const Case& c, const Bound& bound, std::size_t count);

}  // namespace halfmark::suites::elementary
