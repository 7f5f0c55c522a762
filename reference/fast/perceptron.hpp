// SPDX-License-Identifier: Apache-2.0
// A fast version of reference/operators/perceptron.hpp, with the same contract and the same bits.
// The soft-float evaluates formats whose numbers fp32 cannot hold, and targets without vector code.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/operators/perceptron.hpp"

namespace halfmark::fast {

[[nodiscard]] formats::Tensor perceptron_gelu(const formats::Tensor& h, const Options& = {});
[[nodiscard]] formats::Tensor perceptron_gelu_gradient(const formats::Tensor& dg,
                                                       const formats::Tensor& h,
                                                       const Options& = {});
[[nodiscard]] formats::Tensor squared_error(const formats::Tensor& y, const formats::Tensor& t,
                                            const Options& = {});
[[nodiscard]] formats::Tensor squared_error_gradient(const formats::Tensor& y,
                                                     const formats::Tensor& t, formats::Bits scale,
                                                     const Options& = {});
[[nodiscard]] formats::Tensor column_sums(const formats::Tensor& x, std::size_t rows,
                                          const Options& = {});
[[nodiscard]] operators::UnscaledStrips unscaled_strips(const formats::Tensor& gradients,
                                                        formats::Bits factor, const Options& = {});
[[nodiscard]] formats::Tensor descended(const formats::Tensor& weights,
                                        const formats::Tensor& gradients, formats::Bits rate,
                                        const Options& = {});

}  // namespace halfmark::fast
