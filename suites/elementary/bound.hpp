// SPDX-License-Identifier: Apache-2.0
// What a specification's terms allow a function to give at its operands: the range of encodings
// within a bound (reference/operators/ulp_range.hpp), with edges and flushing. One range of a
// flushing device covers zeros of the operands' own signs alone; is_left_open() knows all of them.
#pragma once

#include <cstdint>

#include "suites/core/execute/plan.hpp"
#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// What a device may do with subnormals: nothing, or replace operands, results or both by zero.
struct Flushing {
  bool operands = false, results = false;
};

/// What a specification promises for a function.
struct Terms {
  Ulps ulps;
  bool exact_edges = true;   // zero and infinite operands give the exact value if that is a number
  bool exact_zeros = false;  // and other operands do where it is zero
  // Each operand and result separately, except where that turns a NaN into a number.
  bool may_flush = false;
  bool of_rounded = false;    // counted from the correctly rounded result, not from the exact value
  bool may_saturate = false;  // the largest finite number instead of infinity
  Shape shape = Shape::kConstant;
  const formats::Format* format = &formats::kFp32;
};

/// The smallest and largest encoding allowed; both NaN where the function's value is NaN. Every
/// finite number allowed is an integer times 2^step.
struct Range {
  static constexpr std::int32_t kAnyStep = -100'000;
  formats::Bits low = 0, high = 0;
  std::int32_t step = kAnyStep;
};

[[nodiscard]] Range allowed(const Callee& callee, const Operands& operands, const Terms& terms,
                            const Flushing& flushing = {});

/// Whether y is what a function may give that flushes subnormals in whatever way: a value in the
/// range of the operands as they are or with any subnormal ones taken as zeros, or a zero where
/// that range reaches below the normal numbers. The sign of a zero that was flushed is open.
[[nodiscard]] bool is_left_open(const Callee& callee, const Operands& operands, const Terms& terms,
                                formats::Bits y);

/// The allowed range of each element of tensor `y`.
[[nodiscard]] Enclosure enclosure_of(const Callee& callee, const TensorSet& inputs,
                                     const Terms& terms, const Flushing& flushing = {});

}  // namespace halfmark::suites::elementary
