// SPDX-License-Identifier: Apache-2.0
// A fast version of layer normalisation and its gradients in reference/operators/layernorm.hpp,
// with the same contract and the same bits. The soft-float evaluates departures from the
// specification, root mean square normalisation, machines other than the default one, formats whose
// numbers fp32 cannot represent, and targets without vector code.
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
