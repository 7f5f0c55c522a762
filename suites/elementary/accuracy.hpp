// SPDX-License-Identifier: Apache-2.0
// How far a device's results lie from the exact values of a function, in ULP (bound.hpp has the
// definition): evidence that goes with a verdict and decides none.
//
// Counted are finite results of finite operands, both normal, where the exact value is between
// normal numbers: zeros and infinities have rows of their own, and subnormals may be flushed.
#pragma once

#include <optional>

#include "suites/core/suite/suite.hpp"
#include "suites/elementary/callee.hpp"

namespace halfmark::suites::elementary {

/// The error of one result in thousandths of a ULP, rounded up to the next 1/1024; nothing where it
/// does not count.
[[nodiscard]] std::optional<std::uint64_t> thousandths_off(const Callee& callee,
                                                           const formats::Format& format,
                                                           const Operands& operands,
                                                           formats::Bits y);

/// The farthest of them, the first of equals. Results that are correctly rounded stand for 1/2 ULP.
[[nodiscard]] std::optional<Farthest> farthest(const Callee& callee, const TensorSet& inputs,
                                               const formats::Tensor& expected,
                                               const formats::Tensor& y);

}  // namespace halfmark::suites::elementary
