// SPDX-License-Identifier: Apache-2.0
// Optimizers on fp32 master weights: gradient descent with momentum, Adam and AdamW, element by
// element as PyTorch computes them (torch/optim/sgd.py and adam.py): its code for one tensor on a
// processor, or (OptimizerCode) that for GPUs.
// Every settings number is a double, as is what is formed of settings alone; it is rounded to fp32
// where it meets a tensor. alpha * a + b is one fused operation if `fused`, as in code for
// processors with such an instruction, else two.
//
//   sgd    g' = decay w + g; b = g' at step 1, else (1 - dampening) g' + momentum b;
//          with nesterov g' = momentum b + g', else g' = b; w = (-rate) g' + w
//   adam   g' = decay w + g, or for adamw w = w (1 - rate decay) and g' = g
//          m = (1 - beta1)(g' - m) + m          (from m if 1 - beta1 < 1/2 in fp32, else from g')
//          v = ((1 - beta2) g') g' + v beta2
//          w = w + (-rate / (1 - beta1^t) m) / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// On a GPU v is fused the other way, and a quotient of the moments is what the rate scales:
//          v = (1 - beta2)(g' g') + v beta2
//          w = (-rate / (1 - beta1^t))(m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)) + w
// where the inner quotient is, for one tensor, a product with the rounded reciprocal of its
// divisor. Source: the kernels of PyTorch 2.11, whose results on an H100 are these in every bit of
// 4,096 elements and three steps of each (beta1 = 0.9).
//
// Roundings that are not obvious: the quotient is rounded before it is added, and epsilon is an
// fp32 number outside the root. A skipped step changes nothing, the count included.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

enum class OptimizerKind : std::uint8_t { kSgd, kAdam, kAdamW };

/// Whose code: for one tensor, on a processor or a GPU, or for lists of tensors on a GPU
/// (`foreach`, the default there). Gradient descent is the same in all.
enum class OptimizerCode : std::uint8_t { kProcessor, kGpu, kGpuForeach };

/// Numbers are fp64 encodings.
struct OptimizerSettings {
  OptimizerKind kind = OptimizerKind::kSgd;
  formats::Bits rate = 0;
  formats::Bits momentum = 0, dampening = 0;        // sgd
  formats::Bits beta1 = 0, beta2 = 0, epsilon = 0;  // adam, adamw
  formats::Bits decay = 0;
  bool nesterov = false;
  bool fused = true;
  OptimizerCode code = OptimizerCode::kProcessor;
};

struct OptimizerState {
  formats::Tensor weights;  // fp32
  /// Momentum, or the first moment; the second moment. fp32, zeros before the first step.
  formats::Tensor first, second;
  std::uint64_t steps = 0;

  [[nodiscard]] bool operator==(const OptimizerState&) const = default;
};

/// Departures, each seen in frameworks. The default is the specification.
struct OptimizerVariant {
  bool epsilon_inside_root = false;  // sqrt(v / (1 - beta2^t) + epsilon)
  bool epsilon_in_half = false;      // rounded to fp16, where 1e-8 is zero
  bool no_bias_correction = false;
  bool decay_coupled = false;    // adamw adds its decay to the gradient
  bool second_in_half = false;   // the second moment is kept in fp16
  bool weights_in_half = false;  // there are no master weights
  bool counts_skipped = false;   // a skipped step advances the count

  [[nodiscard]] bool operator==(const OptimizerVariant&) const = default;
};

/// What a step takes of the settings, as fp32 encodings; signs are those of the formulas.
struct OptimizerScalars {
  formats::Bits rate, momentum, undamped, decay, kept;
  formats::Bits share1, rest1, beta2, share2, size, correction, epsilon;
  bool from_gradient, decays, decouples, has_momentum;
};

/// Of the step with this number, from 1; `size` and `correction` alone depend on it.
[[nodiscard]] OptimizerScalars scalars_of(const OptimizerSettings& settings, std::uint64_t step,
                                          const OptimizerVariant& variant = {});

/// Throws std::invalid_argument with the field's name first if the settings cannot work.
void require_workable(const OptimizerSettings& settings);

[[nodiscard]] OptimizerState initial_state(const formats::Tensor& weights);

/// One step with fp32 gradients. `skipped`: a scaler found one that is not finite.
[[nodiscard]] OptimizerState optimized(const OptimizerSettings& settings,
                                       const OptimizerState& state,
                                       const formats::Tensor& gradients, bool skipped = false,
                                       const models::Machine& machine = {},
                                       const OptimizerVariant& variant = {});

/// The same with scalars that the caller has rounded.
[[nodiscard]] OptimizerState optimized_with(const OptimizerScalars& scalars,
                                            const OptimizerSettings& settings,
                                            const OptimizerState& state,
                                            const formats::Tensor& gradients,
                                            const models::Machine& machine = {},
                                            const OptimizerVariant& variant = {});

/// Weights that the step left as they were although their gradient is not zero.
[[nodiscard]] std::uint64_t swallowed_updates(const OptimizerState& before,
                                              const OptimizerState& after,
                                              const formats::Tensor& gradients);

}  // namespace halfmark::operators
