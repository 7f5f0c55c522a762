// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax rounded once from the exact value: the result of an ideal implementation.
// exp(x_i) / sum exp(x_j) is irrational unless all logits that count are equal (Lindemann and
// Weierstrass), so evaluating it with more and more bits until both ends of the error interval
// round to the same value terminates (Ziv's strategy).
//
// A row that contains +inf or a NaN, or is all -inf, gives NaN, as softmax.hpp specifies.
//
// Assumption (checked by has_exact_softmax): every number of x and of the result is one of fp32's.
// The fixed-point numbers of the evaluation hold what fp32's range asks for, not fp64's.
#pragma once

#include "reference/operators/softmax.hpp"

namespace halfmark::operators {

/// Whether x and the result may be in this format.
[[nodiscard]] constexpr bool has_exact_softmax(const formats::Format& f) {
  return formats::kFp32.contains(f);
}

/// x has rows * width elements, row after row; the result has as many in params.output. Both throw
/// like require_well_formed() of softmax.hpp, also unless has_exact_softmax of both formats.
[[nodiscard]] formats::Tensor softmax_exact(const SoftmaxParams& params, const formats::Tensor& x);
[[nodiscard]] formats::Tensor softmax_log_exact(const SoftmaxParams& params,
                                                const formats::Tensor& x);

}  // namespace halfmark::operators
