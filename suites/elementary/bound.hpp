// SPDX-License-Identifier: Apache-2.0
// From a bound in ULP to the fp32 encodings that it allows. The exact value is known to lie between
// its two directed roundings (reference/soft/functions.hpp), and nothing is rounded on the way: an
// encoding is allowed just if some value between them is within the bound of it.
//
// A ULP is that of the exact value: the distance of the fp32 numbers around it (the definition of
// J.-M. Muller, On the definition of ulp(x), 2005), at a number itself that to the next greater
// magnitude.
#pragma once

#include <cstdint>

#include "reference/soft/functions.hpp"
#include "suites/core/plan.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// What a device may do to fp32 subnormals: nothing, or take zero for operands, results, or both.
struct Flushing {
  bool operands = false, results = false;
};

/// What a specification promises of a function.
struct Terms {
  std::uint64_t ulps = 0;
  bool exact_edges = true;    // zeros and infinities as operands give the exact value, if a number
  bool may_flush = false;     // each operand and result alone; not where that makes a NaN a number
  bool of_rounded = false;    // counted from the correctly rounded result, not from the exact value
  bool may_saturate = false;  // the largest number instead of infinity
  Shape shape = Shape::kConstant;
};

/// The least and greatest encoding; both NaN where the function is.
struct Range {
  formats::Bits low = 0, high = 0;
};

[[nodiscard]] Range allowed(const soft::Function& function, formats::Bits x, const Terms& terms,
                            const Flushing& flushing = {});

/// Tensor `y`, element by element.
[[nodiscard]] Enclosure enclosure_of(const soft::Function& function, const formats::Tensor& x,
                                     const Terms& terms, const Flushing& flushing = {});

}  // namespace halfmark::suites::elementary
