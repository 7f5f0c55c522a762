// SPDX-License-Identifier: Apache-2.0
// Elementwise activations, as values and as intervals: the contract's results and those of
// hypotheses are both computed from these. Does not decide what is promised.
#pragma once

#include <functional>

#include "suites/activation/binding.hpp"
#include "suites/core/bounds/interval.hpp"

namespace halfmark::suites::activation {

using Element = std::function<formats::Bits(formats::Bits x, formats::Bits second)>;

[[nodiscard]] TensorSet each(const Binding& b, const TensorSet& inputs, const Element& element);

/// For operations whose result is a single value: selections, and the specified GELU.
[[nodiscard]] formats::Bits selected(const Binding& b, const models::Machine& machine,
                                     formats::Bits x, formats::Bits second);

/// For the bounded operations.
[[nodiscard]] Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d,
                                  Store store = nearest);

/// The midpoints of the allowed intervals: for display, never asserted.
[[nodiscard]] TensorSet middles(const Enclosure& enclosure);

}  // namespace halfmark::suites::activation
