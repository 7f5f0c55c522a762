// SPDX-License-Identifier: Apache-2.0
// Softmax, log-softmax and their gradient of reference/operators/softmax.hpp, fast: the same
// contract, the same bits. Departures from the specification, machines other than the default one,
// formats that fp32 cannot hold and targets without vector code are handed to the soft-float.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/softmax.hpp"

namespace halfmark::fast {

[[nodiscard]] formats::Tensor softmax_forward(const operators::SoftmaxParams& params,
                                              const formats::Tensor& x,
                                              const models::Machine& machine,
                                              const Options& options = {});
[[nodiscard]] formats::Tensor softmax_log_forward(const operators::SoftmaxParams& params,
                                                  const formats::Tensor& x,
                                                  const models::Machine& machine,
                                                  const Options& options = {});
[[nodiscard]] formats::Tensor softmax_backward(const operators::SoftmaxParams& params,
                                               const formats::Tensor& y, const formats::Tensor& dy,
                                               const models::Machine& machine,
                                               const Options& options = {});

}  // namespace halfmark::fast
