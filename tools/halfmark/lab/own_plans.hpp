// SPDX-License-Identifier: Apache-2.0
// Operators of a training that no case asserts alone, as launches of the kernels of the suite that
// asserts them in its scripts. Decides the arguments of these kernels.
#pragma once

#include <string>

#include "suites/core/suite/suite.hpp"
#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

[[nodiscard]] suites::Plan own_plan(const Operator& op, const Operands& operands,
                                    const backends::DeviceInfo& device);
/// The contract row that asserts the kernel.
[[nodiscard]] std::string own_rule(Kind kind);

[[nodiscard]] formats::Tensor one_word(formats::Bits bits);
[[nodiscard]] suites::TensorSet adam_inputs(const Operator& op, const Operands& operands);

}  // namespace halfmark::tools::lab
