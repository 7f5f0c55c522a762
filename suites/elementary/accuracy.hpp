// SPDX-License-Identifier: Apache-2.0
// How far a device's results lie from the exact values of a function, in ULP (bound.hpp has the
// definition): evidence that goes with a verdict and decides none.
//
// Counted are finite results of finite operands, both normal, where the exact value is between
// normal numbers: zeros and infinities have rows of their own, and subnormals may be flushed.
#pragma once

#include <optional>

#include "reference/soft/functions.hpp"
#include "suites/core/suite.hpp"

namespace halfmark::suites::elementary {

/// The error of one result in thousandths of a ULP, rounded up to the next 1/1024; nothing where it
/// does not count.
[[nodiscard]] std::optional<std::uint64_t> thousandths_off(const soft::Function& function,
                                                           formats::Bits x, formats::Bits y);

/// The farthest of them, the first of equals. Results that are correctly rounded stand for 1/2 ULP.
[[nodiscard]] std::optional<Farthest> farthest(const soft::Function& function,
                                               const formats::Tensor& x,
                                               const formats::Tensor& expected,
                                               const formats::Tensor& y);

}  // namespace halfmark::suites::elementary
