// SPDX-License-Identifier: Apache-2.0
// One step of mixed-precision training with loss scaling, as specified by Halfmark: a perceptron of
// two layers, activations and gradients in 16 bits (fp16 or bf16), fp32 master weights, plain
// gradient descent, and a dynamic scale. Contract rows cite this comment as the specification;
// kernels/loss_scaled_backward.hk and kernels/gemm.hk state the same for devices.
//
// X is batch x in, T batch x out (16 bits); W1 is hidden x in, W2 out x hidden (fp32). Matrix
// products are those of gemm.hpp with an fp32 accumulator and no scaling. Every other operation is
// one fp32 operation, rounded to nearest even; RN16 is one conversion to the format of 16 bits.
// Nothing else rounds.
//
//   0. W1h = RN16(W1), W2h = RN16(W2)
//   1. H = RN16(X W1h^T)                      2. G = RN16(gelu(H)), gelu of elementary.hpp
//   3. Y = RN16(G W2h^T)
//   4. R = Y - T; loss = S / N, N = batch * out; S over 64 lanes (lanes.hpp), each
//      acc = fma(r, r, acc), folded by addition
//   5. dY = RN16(scale * ((2 / N) * R))
//   6. dW2 = RN16(dY^T G)                     7. dG = RN16(dY W2h)
//   8. dH = RN16(dG * gelu'(H))               9. dW1 = RN16(dH^T X)
//  10. found_inf = 1 if any element of dW1 or dW2 is infinite or a NaN before any unscaling, else 0
//  11. G1 = dW1 * (1 / scale), G2 likewise, in fp32; unless found_inf, W = fma(-rate, G, W)
//  12. If found_inf: scale = scale * backoff, growth = 0. Else growth = growth + 1, and when that
//      equals the interval: growth = 0 and, only if the product is finite, scale = scale * factor.
//
// With biases, b1 of hidden and b2 of out elements (fp32), there are in addition
//
//   0. b1h = RN16(b1), b2h = RN16(b2)
//   1. S1 = X W1h^T, kept in fp32; H = RN16(S1 + b1h), the bias added to every row
//   3. S2 = G W2h^T, kept in fp32; Y = RN16(S2 + b2h)
//   6. db2 = RN16(sum of each column of dY)   9. db1 = RN16(sum of each column of dH), both over 64
//      lanes of rows (lanes.hpp), each acc = acc + d, folded by addition
//
// and steps 10 and 11 treat db1 and db2 as they treat dW1 and dW2.
//
// With products in 8 bits, every operand of a product is a ScaledTensor (tensor_scaling.hpp): X,
// W1h, G and W2h in e4m3fn, dY and dH in e5m2, each made once. The sums of a product are kept in
// fp32 and scaled back in fp32; that, rounded to 16 bits, or with a bias added to it, is the result
// of the product above. Saturation hides infinities, so in step 10 found_inf is 1, too, if any amax
// is infinite.
//
// Steps 10 to 12 are the scaler "halfmark" of loss_scaler.hpp, which follows the widely used one:
// it tests before multiplying, ends the interval on equality, and has no lower bound for the scale.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"
#include "reference/operators/loss_scaler.hpp"
#include "reference/operators/tensor_scaling.hpp"

namespace halfmark::operators {

struct TrainingProblem {
  std::size_t batch = 0, in = 0, hidden = 0, out = 0;
  formats::Bits rate = 0;  // fp32, as are the factors
  formats::Bits growth_factor = 0x40000000;
  formats::Bits backoff_factor = 0x3f000000;
  std::uint32_t growth_interval = 2000;
  const formats::Format* format = &formats::kFp16;  // of activations and gradients, or kBf16
  bool has_biases = false;
  bool has_scaled_products = false;  // the operands of products are scaled tensors of 8 bits
};

struct TrainingState {
  formats::Tensor x, t;     // 16 bits
  formats::Tensor w1, w2;   // fp32
  formats::Bits scale = 0;  // fp32
  std::uint32_t growth = 0;
  formats::Tensor b1 = {}, b2 = {};  // fp32; without biases they are not looked at
};

/// The matrix products of a step. Of h and y these are the sums before the bias if there is one; of
/// operands in 8 bits, the sums in fp32 before they are scaled back.
struct TrainingProducts {
  formats::Tensor h, y, dw2, dg, dw1;
};

/// The operands of products in 8 bits.
struct ScaledOperands {
  ScaledTensor x, w1h, w2h, g, dy, dh;
};

/// Every tensor of the step, in the order in which the step computes them.
struct TrainingStep {
  formats::Tensor w1h, w2h, h, g, y, loss, dy, dw2, dg, dh, dw1;
  bool found_inf = false;
  formats::Tensor g1, g2, w1, w2;
  formats::Bits scale = 0;
  std::uint32_t growth = 0;
  formats::Tensor b1h, b2h, s1, s2, db2, db1, gb1, gb2, b1, b2;  // empty without biases
  ScaledOperands eight;   // empty without products in 8 bits,
  TrainingProducts sums;  // as are their sums in fp32, not yet scaled back
};

/// Departures from the specification, each a bug seen in frameworks or drivers. The default is
/// the specification.
struct TrainingVariant {
  bool narrow_accumulator = false;     // matrix products accumulate in 16 bits
  bool flush_gradients = false;        // gradients below the normal range of 16 bits become zero
  bool truncated_casts = false;        // step 0 rounds toward zero
  bool squares_in_half = false;        // step 4 rounds r and r*r to 16 bits
  bool factor_in_half = false;         // step 5 computes 2/N, and its product with R, in 16 bits
  bool scale_in_half = false;          // step 5 rounds the scale to fp16
  LossScalerVariant scaler = {};       // steps 10 to 12
  bool step_unfused = false;           // rate * g is rounded before it is subtracted
  bool weights_in_half = false;        // the new weights are rounded to 16 bits
  bool casts_through_fp16 = false;     // what is rounded to bf16 is rounded to fp16 before, except
  bool products_through_fp16 = false;  // matrix products; these are

  bool bias_left_out = false;        // steps 1 and 3
  bool bias_after_rounding = false;  // H = RN16(RN16(S1) + b1h), Y likewise
  bool bias_not_cast = false;        // steps 1 and 3 add b1 and b2 themselves
  bool bias_sums_in_half = false;    // every step of the sums of 6 and 9 rounds to 16 bits
  bool bias_averaged_twice = false;  // these sums are divided by the batch, which 2 / N already is
  bool bias_unchecked = false;       // step 10 does not look at db1 and db2
  bool bias_not_unscaled = false;    // step 11 takes db1 and db2 as they are
  bool bias_kept = false;            // step 11 leaves b1 and b2 out

  ScaledTensorVariant scaled = {};  // of products in 8 bits

  [[nodiscard]] bool operator==(const TrainingVariant&) const = default;
};

/// The scaler of steps 10 to 12.
[[nodiscard]] LossScaler scaler_of(const TrainingProblem& problem);

/// Throws std::invalid_argument unless the tensors have the element counts that the
/// problem requires.
void require_well_formed(const TrainingProblem& problem, const TrainingState& state);

/// One step from `state`, with every intermediate tensor. Throws like require_well_formed(). With
/// `products`, these stand for the results of all matrix products.
[[nodiscard]] TrainingStep loss_scaled_backward(const TrainingProblem& problem,
                                                const TrainingState& state,
                                                const models::Machine& machine,
                                                const TrainingVariant& variant = {},
                                                const TrainingProducts* products = nullptr);

}  // namespace halfmark::operators
