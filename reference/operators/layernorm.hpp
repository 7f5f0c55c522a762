// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the rows of a matrix, and its gradients: Halfmark's kernel
// specification, operation by operation, and named departures from it. The same for root mean
// square normalisation (Zhang, Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019).
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
// This file does not decide what is asserted, nor how a machine rounds or flushes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

/// The specification, and the departures seen in other implementations.
enum class LayernormVariant : std::uint8_t {
  kSpecified,
  // forward
  kNaiveVariance,         // E[x^2] - E[x]^2
  kNaiveVarianceClamped,  // the same, with a negative variance replaced by 0
  kUnbiasedVariance,      // divides by n - 1
  kEpsDropped,            // rstd = 1 / sqrt(var)
  kEpsInHalf,             // eps rounded to fp16
  kEpsOutsideRoot,        // rstd = 1 / (sqrt(var) + eps)
  kMeanInHalf,            // mean rounded to fp16
  kVarianceInHalf,        // variance rounded to fp16
  kRadicandInHalf,        // var + eps rounded to fp16
  kStatisticsInHalf,      // mean and rstd rounded to fp16
  kSquaresInHalf,         // sum of squares rounded to fp16 after every addition
  kRstdTwelveBits,        // rstd rounded to 12 significant bits
  kUnitInHalf,            // u rounded to fp16 before gamma and beta
  kAffineNotFused,        // u gamma, then + beta, each rounded
  kTailNotSummed,         // the statistics omit the elements from the last multiple of 64 on
  kRemainderNotSummed,    // the same from the last multiple of 4 on
  kGammaByRow,            // gamma and beta indexed by the row, modulo the width
  kInputsInBf16,          // x rounded to bf16 first
  kCentered,              // root mean square normalisation that subtracts the mean
  // backward
  kNoProjection,    // dx without the term in b
  kNoMeanTerm,      // dx without the term in a
  kGradientInHalf,  // g rounded to fp16
  kSumsNotFused,    // sums of products round the products first
  kCenteringFused,  // g - a in one step, without rounding g
  kGradientFused,   // the same, and the sum of g as well
  kWeightsInHalf,   // dgamma and dbeta accumulated in fp16
  kWeightsInBf16,   // dgamma and dbeta accumulated in bf16
  kHalfOfRows,      // dgamma and dbeta over only the first half of the rows, from 64 rows on
};

struct LayernormParams {
  std::size_t rows = 0, width = 0;
  formats::Bits eps = 0;  // fp32; forward only
  const formats::Format* output = nullptr;
  LayernormVariant variant = LayernormVariant::kSpecified;
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

/// x has rows * width elements, row after row, gamma and beta `width`. Throws like
/// require_well_formed().
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

/// dx has the shape of x; dgamma and dbeta have `width` elements. Throws like
/// require_well_formed().
[[nodiscard]] LayernormGradients layernorm_backward(const LayernormParams& params,
                                                    const LayernormTape& tape,
                                                    const models::Machine& machine);

}  // namespace halfmark::operators
