// SPDX-License-Identifier: Apache-2.0
// What the tokens of a loss_scaled_backward case mean, and the names of the step's tensors. Only
// this file reads tokens; the other files of the folder share it.
#pragma once

#include <span>

#include "reference/operators/loss_scaled_backward.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {

/// The scaler's state before the step.
struct Scale {
  std::string_view name;
  std::string_view help;
  formats::Bits bits;    // fp32
  std::uint32_t growth;  // clean steps so far
};

struct Binding {
  operators::TrainingProblem problem;
  const Scale* scale = nullptr;
  std::string fill;
};

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] std::span<const std::string_view> fill_names();
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] Plan make_plan(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] TensorSet make_inputs(const Case& c);
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);

/// Evaluates the step of a case; its tensors have the names that the plan gives them.
[[nodiscard]] operators::TrainingStep evaluate(const Case& c, const TensorSet& inputs,
                                               const models::Machine& machine,
                                               const operators::TrainingVariant& variant);
[[nodiscard]] TensorSet outputs_of(const operators::TrainingStep& step);

}  // namespace halfmark::suites::loss_scaled_backward
