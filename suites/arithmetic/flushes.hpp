// SPDX-License-Identifier: Apache-2.0
// All that an operation may give where subnormals may be flushed: as the right result of the
// operands that it has, or of those of which any subnormal ones are taken as zeros; and as a zero
// where that result is subnormal before it is rounded. The sign of a zero that was flushed is open.
// Decides single results; devices that follow one rule have hypotheses of their own.
#pragma once

#include "suites/arithmetic/operations.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites::arithmetic {

/// Whether flushing can change its results: conversions keep subnormals everywhere, and fp16
/// operands are normal numbers in fp32.
[[nodiscard]] bool may_flush(const Operation& operation);

/// Of an operation that may flush.
[[nodiscard]] bool is_left_open(const Operation& operation, const Operands& x,
                                formats::Bits result);

/// A device that gave these results, each of them right or left open.
[[nodiscard]] Hypothesis flushes_as_left_open(const Operation& operation, const TensorSet& outputs);

}  // namespace halfmark::suites::arithmetic
