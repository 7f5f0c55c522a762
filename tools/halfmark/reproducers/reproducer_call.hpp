// SPDX-License-Identifier: Apache-2.0
// The words of a program that makes one call of a library: its memory, and the call as the
// interface takes it. Decides nothing about vendors: their words are the backend's
// (backends/reproducers.hpp).
#pragma once

#include <optional>

#include "backends/reproducers.hpp"
#include "suites/core/case.hpp"
#include "suites/core/plan.hpp"
#include "suites/core/result.hpp"

namespace halfmark::tools {

/// Nothing where the frame is of another library, where the case is more than one call, or where
/// its operands are too many to be written down.
[[nodiscard]] std::optional<backends::Words> call_words(const backends::ReproducerFrame& frame,
                                                        const suites::Case& c,
                                                        const suites::Plan& plan,
                                                        const suites::TensorSet& inputs,
                                                        const suites::Element& wrong);

}  // namespace halfmark::tools
