// SPDX-License-Identifier: Apache-2.0
// Layer normalisation and its gradients of reference/operators/layernorm.hpp, fast: the same
// contract, the same bits. Departures from the specification, root mean square normalisation,
// machines other than the default one, formats that fp32 cannot hold and targets without vector
// code are handed to the soft-float.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/layernorm.hpp"

namespace halfmark::fast {

[[nodiscard]] operators::LayernormOutputs layernorm_forward(
    const operators::LayernormParams& params, const formats::Tensor& x,
    const formats::Tensor& gamma, const formats::Tensor& beta, const models::Machine& machine,
    const Options& options = {});

[[nodiscard]] operators::LayernormGradients layernorm_backward(
    const operators::LayernormParams& params, const operators::LayernormTape& tape,
    const models::Machine& machine, const Options& options = {});

}  // namespace halfmark::fast
