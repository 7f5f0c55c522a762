// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the rows of a matrix, and its gradients: Halfmark's kernel
// specification, operation by operation. The same for root mean square normalisation (Zhang,
// Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019).
//
// Everything is in fp32; sums over a row use the 64 lanes of lanes.hpp, each starting from +0. n is
// the width as a float, juxtaposition is one multiplication, and every operation is rounded once:
//   forward   mean = (sum x_i) / n
//             d_i  = x_i - mean
//             var  = (sum fma(d_i, d_i, s)) / n
//             rstd = 1 / sqrt(var + eps)
//             u_i  = d_i rstd
//             y_i  = fma(u_i, gamma_i, beta_i), rounded to the output format
//   backward, mean and rstd given as fp32
//             u_i  = (x_i - mean) rstd
//             g_i  = dy_i gamma_i
//             a    = (sum g_i) / n
//             b    = (sum fma(g_i, u_i, s)) / n
//             dx_i = rstd fma(-u_i, b, g_i - a), rounded to the output format
//   weights, for each column, over the rows in order, from +0
//             dgamma = fma(dy, u, dgamma)    dbeta = dbeta + dy     each rounded at the end
// Root mean square normalisation is the same without the terms that the mean contributes:
//   forward   rstd = 1 / sqrt((sum fma(x_i, x_i, s)) / n + eps)
//             u_i  = x_i rstd
//             y_i  = u_i gamma_i, rounded to the output format
//   backward  dx_i = rstd fma(-u_i, b, g_i), rounded to the output format
//   weights   dgamma only
//
// The steps of a row are functions of their own, so that whoever studies a mistake can replace one.
// This file does not decide what is asserted, nor how a machine rounds or flushes.
#pragma once

#include <cstddef>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"
#include "reference/operators/rows.hpp"

namespace halfmark::operators {

struct LayernormParams {
  std::size_t rows = 0, width = 0;
  formats::Bits eps = 0;  // fp32; forward only
  const formats::Format* output = nullptr;
  bool centered = true;  // false: root mean square normalisation
};

struct LayernormOutputs {
  formats::Tensor y, mean, rstd;  // mean and rstd in fp32, one per row; mean is 0 if not centered
};

struct LayernormGradients {
  formats::Tensor dx, dgamma, dbeta;  // all in the output format
};

/// Throws std::invalid_argument unless x has rows * width elements, gamma and, if centered, beta
/// `width`, and there is a format for the results.
void require_well_formed(const LayernormParams& params, const formats::Tensor& x,
                         const formats::Tensor& gamma, const formats::Tensor& beta);

/// x has rows * width elements, row after row, gamma and beta `width`. Throws
/// like require_well_formed().
[[nodiscard]] LayernormOutputs layernorm_forward(const LayernormParams& params,
                                                 const formats::Tensor& x,
                                                 const formats::Tensor& gamma,
                                                 const formats::Tensor& beta,
                                                 const models::Machine& machine);

/// The inputs of the gradients. Views, which must outlive only the call. Without centering, neither
/// the mean here nor beta above is read.
struct LayernormTape {
  const formats::Tensor& x;
  const formats::Tensor& gamma;
  const formats::Tensor& dy;
  const formats::Tensor& mean;
  const formats::Tensor& rstd;
};

/// The same for the inputs of the gradients: x and dy have rows * width elements, gamma `width`,
/// and mean (if centered) and rstd one for each row, in fp32.
void require_well_formed(const LayernormParams& params, const LayernormTape& tape);

/// dx has the shape of x; dgamma and dbeta have `width` elements. Throws
/// like require_well_formed().
[[nodiscard]] LayernormGradients layernorm_backward(const LayernormParams& params,
                                                    const LayernormTape& tape,
                                                    const models::Machine& machine);

struct RowStatistics {
  formats::Bits mean, rstd;
};

/// n
[[nodiscard]] formats::Bits count_of(const LayernormParams& params);
/// 1 / sqrt(radicand)
[[nodiscard]] formats::Bits reciprocal_root(const Fp32& op, formats::Bits radicand);
/// u
[[nodiscard]] Row units_of(const Fp32& op, const LayernormParams& params, const Row& x,
                           const RowStatistics& statistics);
/// fma(-u_i, b, g_i), of g - a or of g
[[nodiscard]] Row without_projection(const Fp32& op, const Row& gradients, const Row& units,
                                     formats::Bits along);

}  // namespace halfmark::operators
