// SPDX-License-Identifier: Apache-2.0
// The operators of a perceptron in training that are no matrix product, one by one and in any
// format: activation, loss, gradients, check, unscaling and descent. They are the steps of
// loss_scaled_backward.hpp, taken apart so that an experiment can replay each on the operands that
// a device had. kernels/activation.hk, loss.hk, reduction.hk and loss_scaling.hk state the same.
//
// Every operation is one fp32 operation on the default machine, rounded to nearest even; a result
// in another format is rounded to it once.
//
// Assumption: operands that belong together have the same number of elements; the caller knows
// rows and columns.
#pragma once

#include <cstddef>

#include "reference/formats/tensor.hpp"

namespace halfmark::operators {

/// Gradients that one flag of unscale() is about.
inline constexpr std::size_t kCheckStrip = 4096;

/// gelu of elementary.hpp, in the format of h.
[[nodiscard]] formats::Tensor perceptron_gelu(const formats::Tensor& h);
/// dg * gelu'(h), in the format of dg.
[[nodiscard]] formats::Tensor perceptron_gelu_gradient(const formats::Tensor& dg,
                                                       const formats::Tensor& h);
/// The mean of (y - t)^2 over all elements, in fp32 and in the order of lanes.hpp.
[[nodiscard]] formats::Tensor squared_error(const formats::Tensor& y, const formats::Tensor& t);
/// scale * ((2 / N) * (y - t)) in fp32; scale is an fp32 encoding.
[[nodiscard]] formats::Tensor squared_error_gradient(const formats::Tensor& y,
                                                     const formats::Tensor& t, formats::Bits scale);
/// The sum of each column of `rows` rows, in the order of lanes.hpp and the format of x.
[[nodiscard]] formats::Tensor column_sums(const formats::Tensor& x, std::size_t rows);

struct UnscaledStrips {
  formats::Tensor gradients;  // fp32
  formats::Tensor flags;      // fp32: 1 for each strip with an infinite or NaN gradient, else 0

  /// Whether a flag is set.
  [[nodiscard]] bool found() const;
};
/// Gradients times an fp32 factor; what is checked is the gradient before.
[[nodiscard]] UnscaledStrips unscaled_strips(const formats::Tensor& gradients,
                                             formats::Bits factor);
/// fma(-rate, gradient, weight), all in fp32.
[[nodiscard]] formats::Tensor descended(const formats::Tensor& weights,
                                        const formats::Tensor& gradients, formats::Bits rate);

}  // namespace halfmark::operators
