// SPDX-License-Identifier: Apache-2.0
// Operators of a training that no case tests on their own, as launches of the kernels of the suite
// whose scripts test them. Decides the arguments of these kernels.
#pragma once

#include <string>

#include "suites/core/suite/suite.hpp"
#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

[[nodiscard]] suites::Plan own_plan(const Operator& op, const Operands& operands,
                                    const backends::DeviceInfo& device);
/// The contract row by which the kernel is judged.
[[nodiscard]] std::string own_rule(Kind kind);

[[nodiscard]] formats::Tensor one_word(formats::Bits bits);
[[nodiscard]] suites::TensorSet adam_inputs(const Operator& op, const Operands& operands);

}  // namespace halfmark::tools::lab
