// SPDX-License-Identifier: Apache-2.0
// The operands of the suite: for each fill (README.md) the operands that its name promises, moved
// to where the given bound promises something.
#pragma once

#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// The number of elements of the fill `edges`: each special value for functions of one operand,
/// each pair of them for functions of two.
[[nodiscard]] std::size_t edges_of(const Bound& bound);

/// Tensors "x" and, for functions of two operands, "w".
[[nodiscard]] TensorSet inputs_of(const Case& c, const Bound& bound, std::size_t count);

}  // namespace halfmark::suites::elementary
