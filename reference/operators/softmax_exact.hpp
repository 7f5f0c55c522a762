// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax rounded once from the exact value: what an ideal implementation would
// give. exp(x_i) / sum exp(x_j) is irrational unless all logits that count are equal (Lindemann and
// Weierstrass), so evaluating it with ever more bits until both ends of the error interval round
// alike comes to an end (Ziv's strategy).
//
// A row that holds +inf or a NaN, or is all -inf, is NaN, as in the specification of softmax.hpp.
#pragma once

#include "reference/operators/softmax.hpp"

namespace halfmark::operators {

[[nodiscard]] formats::Tensor softmax_exact(const SoftmaxParams& params, const formats::Tensor& x);
[[nodiscard]] formats::Tensor softmax_log_exact(const SoftmaxParams& params,
                                                const formats::Tensor& x);

}  // namespace halfmark::operators
