// SPDX-License-Identifier: Apache-2.0
// The experiment `fragile`: a perceptron whose gradients are at the lower end of fp16, trained for
// a few steps in several ways. Decides the network, its data, the modes, and the order of the
// operators of a step; the arithmetic is in operators.hpp, and whoever runs an operator is a
// function.
//
//   h = x W1^T + b1, g = GELU(h), y = g W2^T + b2, loss = mean (y - t)^2, plain gradient descent
//
// x is normal with a deviation of 10, t normal, weights and biases uniform within
// 1 / sqrt(inputs), as frameworks begin. Products, activations and their gradients have the format
// of the mode, accumulators, biased sums, loss and master weights fp32. GELU has its tanh form,
// which has a specified evaluation.
//
// Size `small` has narrower layers in the same proportions. Its mean is over fewer elements, so its
// gradients would be larger; `attenuation` divides the scale by a power of two so that gradients in
// 16 bits have the magnitudes that they have at size `full`. Unscaling takes it out again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/fast/statistics.hpp"
#include "reference/operators/loss_scaler.hpp"
#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

struct Size {
  std::string_view name;
  std::size_t batch, in, hidden, out;
  int attenuation;  // log2
};
[[nodiscard]] std::span<const Size> sizes();

inline constexpr std::size_t kSteps = 5;
inline constexpr formats::Bits kRate = 0x3c23d70a;  // 0.01

struct Mode {
  std::string_view name, title;
  const formats::Format* format;
  int scale;                    // log2, at the start
  bool dynamic;                 // a scaler adapts it, and skips steps; else every step is made
  bool narrow_weights = false;  // no master copy: weights are rounded to the format in each step
  bool narrow_sums = false;     // products add up in fp16
  bool recomputes = false;      // h and g are computed again for the backward pass
  formats::Bits rate = kRate;   // fp32
};
[[nodiscard]] std::span<const Mode> modes();
/// Of the experiment `sweep`: fp32, and fp16 with constant scales from 2^-12 to 2^24.
[[nodiscard]] std::span<const Mode> sweep_modes();
/// Of the experiment `ablation`: fp16 without each of what mixed precision consists of, at a rate
/// as late in a training, when most updates are below half of a weight's last place in fp16.
[[nodiscard]] std::span<const Mode> ablation_modes();
/// Of the experiment `recompute`.
[[nodiscard]] std::span<const Mode> recompute_modes();
/// Of any of them; the mode exists.
[[nodiscard]] const Mode& mode_of(std::string_view name);

struct Network {
  formats::Tensor x, t;            // fp32
  formats::Tensor w1, b1, w2, b2;  // fp32
};
[[nodiscard]] Network initial_network(const Size& size, std::uint64_t seed);

/// Runs one operator, in any way.
using Engine =
    std::function<std::vector<formats::Tensor>(const Operator& op, const Operands& operands)>;

struct TensorTrace {
  std::string name;
  fast::Statistics statistics;
};

struct StepTrace {
  std::size_t step = 0;
  double loss = 0, norm = 0;
  int scale = 0;  // log2 of what the step used
  bool skipped = false;
  std::vector<TensorTrace> tensors = {};      // in the order of their computation
  std::uint64_t updates = 0, swallowed = 0;   // gradients that are not zero; that moved no weight
  std::uint64_t recomputed = 0, changed = 0;  // elements; that differ from those of the first pass
  /// The first infinite or NaN number of the step.
  std::optional<std::pair<std::string, std::size_t>> first_non_finite = {};

  [[nodiscard]] const fast::Statistics& of(std::string_view tensor) const;
  /// Shares of all gradients of weights, as stored.
  [[nodiscard]] double zero_share() const;
  [[nodiscard]] double subnormal_share() const;
  /// Of the updates; 0 if none was made.
  [[nodiscard]] double swallowed_share() const;
};

/// One training in one mode.
class Training {
 public:
  Training(const Size& size, const Mode& mode, Network network);
  [[nodiscard]] StepTrace step(const Engine& engine);
  [[nodiscard]] const Network& network() const { return n_; }

 private:
  struct Forward;
  struct Gradients;
  [[nodiscard]] formats::Tensor run(const Engine& engine, const Operator& op,
                                    const Operands& operands, StepTrace* trace) const;
  [[nodiscard]] formats::Tensor cast(const Engine& engine, std::string name,
                                     const formats::Tensor& from, StepTrace* trace) const;
  [[nodiscard]] formats::Tensor linear(const Engine& engine, const std::string& name,
                                       const formats::Tensor& x, const formats::Tensor& w,
                                       const formats::Tensor& b, StepTrace& trace) const;
  [[nodiscard]] Forward forward(const Engine& engine, StepTrace& trace) const;
  void recompute(const Engine& engine, Forward& f, StepTrace& trace) const;
  [[nodiscard]] Gradients backward(const Engine& engine, const Forward& f, StepTrace& trace) const;
  void update(const Engine& engine, const Gradients& gradients, StepTrace& trace);

  const Size& size_;
  const Mode& mode_;
  Network n_;
  operators::LossScaler scaler_;
  operators::LossScalerState state_;
  std::size_t steps_ = 0;
};

}  // namespace halfmark::tools::lab
