// SPDX-License-Identifier: Apache-2.0
// What a quotient or a root may be where it has a bound: the encodings within it, one by one.
#pragma once

#include "suites/arithmetic/operations.hpp"

namespace halfmark::suites::arithmetic {

/// Of an operation with a bound. A zero or infinite operand gives the exact result.
[[nodiscard]] operators::UlpRange range_of(const Operation& operation, const Operands& x);

/// The range of each element of tensor `d`.
[[nodiscard]] Enclosure enclosure_of(const Operation& operation, const TensorSet& inputs);

/// The operands of one element, from the tensors that there are.
[[nodiscard]] Operands operands_at(const TensorSet& inputs, std::size_t index);

}  // namespace halfmark::suites::arithmetic
