// SPDX-License-Identifier: Apache-2.0
// Activations of every element, as values and as intervals: what the contract's results and those
// of hypotheses are both made of. Decides nothing of what is promised.
#pragma once

#include <functional>

#include "suites/activation/binding.hpp"

namespace halfmark::suites::activation {

using Element = std::function<formats::Bits(formats::Bits x, formats::Bits second)>;

[[nodiscard]] TensorSet each(const Binding& b, const TensorSet& inputs, const Element& element);

/// Of the operations whose value is one number: selections, and the specified GELU.
[[nodiscard]] formats::Bits selected(const Binding& b, const models::Machine& machine,
                                     formats::Bits x, formats::Bits second);

/// Of the bounded ones.
[[nodiscard]] Enclosure intervals(const Binding& b, const TensorSet& inputs, const Departure& d);

/// The middle of what is allowed: shown, not asserted.
[[nodiscard]] TensorSet middles(const Enclosure& enclosure);

}  // namespace halfmark::suites::activation
