// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax rounded once from the exact value: the result of an ideal implementation.
// exp(x_i) / sum exp(x_j) is irrational unless all logits that count are equal (Lindemann and
// Weierstrass), so evaluating it with more and more bits until both ends of the error interval
// round to the same value terminates (Ziv's strategy).
//
// A row that contains +inf or a NaN, or is all -inf, gives NaN, as softmax.hpp specifies.
#pragma once

#include "reference/operators/softmax.hpp"

namespace halfmark::operators {

/// x has rows * width elements, row after row; the result has as many in params.output. The variant
/// is ignored. Both throw like require_well_formed() of softmax.hpp.
[[nodiscard]] formats::Tensor softmax_exact(const SoftmaxParams& params, const formats::Tensor& x);
[[nodiscard]] formats::Tensor softmax_log_exact(const SoftmaxParams& params,
                                                const formats::Tensor& x);

}  // namespace halfmark::operators
