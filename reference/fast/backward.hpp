// SPDX-License-Identifier: Apache-2.0
// A fast version of the training step in reference/operators/loss_scaled_backward.hpp, with the
// same contract and the same bits. The soft-float evaluates departures from the specification,
// products in 8 bits, machines other than the default one, and targets without vector code.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/loss_scaled_backward.hpp"

namespace halfmark::fast {

[[nodiscard]] operators::TrainingStep loss_scaled_backward(
    const operators::TrainingProblem& problem, const operators::TrainingState& state,
    const models::Machine& machine, const operators::TrainingVariant& variant = {},
    const Options& options = {});

}  // namespace halfmark::fast
