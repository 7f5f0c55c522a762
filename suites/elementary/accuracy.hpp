// SPDX-License-Identifier: Apache-2.0
// How far a device's results lie from a function's exact values, in ULP (defined in bound.hpp):
// evidence reported with a verdict; it decides none.
//
// Only finite results of finite operands count, operand and result both normal, where the exact
// value lies in the normal range: zeros and infinities have rows of their own, and subnormals may
// be flushed.
#pragma once

#include <optional>

#include "suites/core/suite/suite.hpp"
#include "suites/elementary/callee.hpp"

namespace halfmark::suites::elementary {

/// The error of one result in thousandths of a ULP, rounded up to the next 1/1024 ULP; nothing
/// where the result does not count.
[[nodiscard]] std::optional<std::uint64_t> thousandths_off(const Callee& callee,
                                                           const formats::Format& format,
                                                           const Operands& operands,
                                                           formats::Bits y);

/// The largest error, the first among equals. Correctly rounded results count as 1/2 ULP.
[[nodiscard]] std::optional<Farthest> farthest(const Callee& callee, const TensorSet& inputs,
                                               const formats::Tensor& expected,
                                               const formats::Tensor& y);

}  // namespace halfmark::suites::elementary
