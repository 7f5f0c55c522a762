// SPDX-License-Identifier: Apache-2.0
// From a bound in ULP to the encodings that it allows. The exact value is known to lie between its
// two directed roundings, and on which side of their middle; nothing is rounded on the way: an
// encoding is allowed just if some value there is within the bound of it. Beyond the largest number
// the value is looked up in a format of more exponents, so that it is near that number or is not.
//
// A ULP is that of the exact value: the distance of the numbers around it (the definition of J.-M.
// Muller, On the definition of ulp(x), 2005), at a number itself that to the next greater
// magnitude, and beyond the largest number the last one.
#pragma once

#include <cstdint>

#include "suites/core/execute/plan.hpp"
#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// What a device may do to subnormals: nothing, or take zero for operands, results, or both.
struct Flushing {
  bool operands = false, results = false;
};

/// What a specification promises of a function.
struct Terms {
  Ulps ulps;
  bool exact_edges = true;    // zeros and infinities as operands give the exact value, if a number
  bool may_flush = false;     // each operand and result alone; not where that makes a NaN a number
  bool of_rounded = false;    // counted from the correctly rounded result, not from the exact value
  bool may_saturate = false;  // the largest number instead of infinity
  Shape shape = Shape::kConstant;
  const formats::Format* format = &formats::kFp32;
};

/// The least and greatest encoding; both NaN where the function is.
struct Range {
  formats::Bits low = 0, high = 0;
};

[[nodiscard]] Range allowed(const Callee& callee, const Operands& operands, const Terms& terms,
                            const Flushing& flushing = {});

/// Tensor `y`, element by element.
[[nodiscard]] Enclosure enclosure_of(const Callee& callee, const TensorSet& inputs,
                                     const Terms& terms, const Flushing& flushing = {});

}  // namespace halfmark::suites::elementary
