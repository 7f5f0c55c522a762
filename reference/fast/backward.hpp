// SPDX-License-Identifier: Apache-2.0
// The training step of reference/operators/loss_scaled_backward.hpp, fast: the same contract, the
// same bits. Departures from the specification, machines other than the default one and targets
// without vector code are handed to the soft-float.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/loss_scaled_backward.hpp"

namespace halfmark::fast {

[[nodiscard]] operators::TrainingStep loss_scaled_backward(
    const operators::TrainingProblem& problem, const operators::TrainingState& state,
    const models::Machine& machine, const operators::TrainingVariant& variant = {},
    const Options& options = {});

}  // namespace halfmark::fast
