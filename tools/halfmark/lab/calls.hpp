// SPDX-License-Identifier: Apache-2.0
// An operator of a training as work for a device: the plan, its tensors, and how its results are
// judged. Decides which case of which suite an operator is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "suites/core/suite/suite.hpp"
#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

struct Call {
  /// The case that the operator is; null for kernels without a case of their own.
  std::unique_ptr<const suites::Problem> problem;
  std::string rule;  // the contract row
  suites::Plan plan;
  suites::TensorSet inputs;
  std::vector<std::string> results;  // outputs of the plan, in the order of Kind
  bool is_portable = true;
};

/// The operator on this provider, or as a portable kernel where it offers none.
[[nodiscard]] Call call_of(const Operator& op, const Operands& operands,
                           const backends::DeviceInfo& device, const std::string& provider);

/// What must come out of the call for these operands; the inputs of `call` are not looked at.
[[nodiscard]] suites::Expectation expected_of(const Call& call, const Operator& op,
                                              const Operands& operands);

/// The operands under the names that the call's plan gives them.
[[nodiscard]] suites::TensorSet inputs_of(const Operator& op, const Operands& operands,
                                          bool is_portable);

}  // namespace halfmark::tools::lab
