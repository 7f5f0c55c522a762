// SPDX-License-Identifier: Apache-2.0
// One operator of a training step as a value, and what the reference gives for it. Decides the
// arithmetic of every operator by naming its specification; decides no order, and no device.
//
//   cast, add           reference/soft: one rounding
//   product             reference/operators/gemm.hpp
//   cross-entropy       reference/operators/cross_entropy.hpp, the mean of rows of logits
//   norm, clip          reference/operators/gradient_clipping.hpp
//   adam                reference/operators/optimizer.hpp
//   found, rescale      reference/operators/loss_scaler.hpp
//   the others          reference/operators/perceptron.hpp
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/tensor.hpp"
#include "reference/operators/loss_scaler.hpp"
#include "reference/operators/optimizer.hpp"

namespace halfmark::tools::lab {

enum class Kind : std::uint8_t {
  kCast,                  // x -> y
  kProduct,               // a, b -> d
  kAdd,                   // a, b -> d, fp32
  kMask,                  // a, b -> the products of elements, fp32
  kScale,                 // a, factor -> a * factor, fp32
  kGelu,                  // h -> g
  kGeluGradient,          // dg, h -> dh
  kRelu,                  // h -> g
  kReluGradient,          // dg, h -> dh
  kLoss,                  // y, t, fp32 -> the mean of squares
  kLossGradient,          // y, t, fp32 -> scale * 2/N * (y - t), fp32
  kCrossEntropy,          // y, fp32, labels -> the mean loss
  kCrossEntropyGradient,  // y, fp32, labels -> scale / N * (softmax y - [label]), fp32
  kColumnSums,            // x -> one sum for each column
  kUnscale,               // gradients -> gradients * factor in fp32, a flag for each strip
  kNorm,                  // gradients, fp32 -> the root of the sum of squares
  kClipFactor,            // norms, fp32 -> the norm of all, what clips it to the limit
  kClip,                  // gradients, factor, fp32 -> gradients
  kFound,                 // flags of strips, fp32 -> on how many devices one is set: 1 or 0
  kDescend,               // weights, gradients, fp32, found -> weights; as they were if found
  kAdam,                  // weights, moments, gradients, fp32 -> weights, moments
  kRescale,               // found, scale, fp32, counts -> scale, counts of a loss scaler
};

/// The operator's name in reports.
[[nodiscard]] std::string_view name_of(Kind kind);

struct Operator {
  Kind kind;
  std::string tensor;                            // the name of its result in the step
  const formats::Format* to = nullptr;           // of the result
  const formats::Format* accumulator = nullptr;  // of a product: fp32 or fp16
  std::size_t m = 0, n = 0, k = 0;               // a product; m rows of n columns for sums
  bool transpose_a = false, transpose_b = false;
  formats::Bits scalar = 0;                                // fp32: scale, factor, rate or limit
  const operators::OptimizerSettings* settings = nullptr;  // of Adam
  std::uint64_t count = 0;                                 // of Adam's steps, with this one
  bool saturates = false;                                  // a cast to 8 bits
  const operators::LossScaler* scaler = nullptr;           // of an update of the scale
};

using Operands = std::vector<const formats::Tensor*>;

/// The results in the order of Kind, as specified.
[[nodiscard]] std::vector<formats::Tensor> specified(const Operator& op, const Operands& operands);

/// Every subnormal number replaced by a zero of its sign.
[[nodiscard]] formats::Tensor flushed(const formats::Tensor& tensor);

}  // namespace halfmark::tools::lab
