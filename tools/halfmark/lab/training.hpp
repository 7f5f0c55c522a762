// SPDX-License-Identifier: Apache-2.0
// One training of a network in one mode: forward pass, loss, backward pass, unscaling, clipping and
// descent, in this order. Master weights, their gradients once they are unscaled, and the moments
// of Adam are fp32. Decides the order of the operators; the arithmetic is in operators.hpp.
#pragma once

#include <optional>

#include "reference/operators/loss_scaler.hpp"
#include "tools/halfmark/lab/step.hpp"

namespace halfmark::tools::lab {

class Training {
 public:
  /// The design, the size and the mode must outlive the training; the seed is that of dropout.
  Training(const Design& design, const Size& size, const Mode& mode, Network network,
           std::uint64_t seed);
  [[nodiscard]] StepTrace step(const Engine& engine);
  /// The forward pass of the first batch without dropout; nothing is trained.
  [[nodiscard]] StepTrace evaluate(const Engine& engine) const;
  [[nodiscard]] const Network& network() const { return n_; }

 private:
  struct Pass;
  struct Parameter;
  [[nodiscard]] const Batch& batch_of(const StepTrace& trace) const;
  [[nodiscard]] formats::Tensor inputs_of(const StepTrace& trace) const;
  [[nodiscard]] formats::Tensor forward(Step& step, std::vector<Pass>& passes,
                                        const StepTrace& trace, bool drops) const;
  void measure(Step& step, const formats::Tensor& outputs, StepTrace& trace) const;
  void recompute(const Engine& engine, Pass& first, StepTrace& trace) const;
  void backward(Step& step, const std::vector<Pass>& passes, const formats::Tensor& outputs,
                const StepTrace& trace, std::vector<Parameter>& parameters) const;
  [[nodiscard]] formats::Tensor unscale(Step& step, std::vector<Parameter>& parameters,
                                        const StepTrace& trace) const;
  void clip(Step& step, std::vector<Parameter>& parameters, StepTrace& trace) const;
  [[nodiscard]] formats::Tensor moved(Step& step, const Parameter& parameter, std::size_t index,
                                      const formats::Tensor& found);
  void rescale(Step& step, const formats::Tensor& found);
  void update(Step& step, std::vector<Parameter>& parameters, StepTrace& trace);

  const Design& design_;
  const Size& size_;
  const Mode& mode_;
  Network n_;
  std::uint64_t seed_;
  // Gradients are widened before they are unscaled, and scales are powers of two, so that all
  // profiles unscale and check alike; they differ in the course of the scale.
  operators::LossScaler scaler_;
  operators::LossScalerState state_;  // the scale in fp32, as the kernels keep it
  /// First and second moments of every parameter, where the optimizer has them.
  std::vector<std::pair<formats::Tensor, formats::Tensor>> moments_;
  std::optional<Scales> scales_;  // of operands in 8 bits
  std::size_t steps_ = 0, made_ = 0;
};

}  // namespace halfmark::tools::lab
