// SPDX-License-Identifier: Apache-2.0
// The parts of a network's two passes, each a few operators in a row. Products, activations and
// their gradients have the format of the mode; accumulators, biased sums and the loss are fp32.
// Operands in 8 bits are multiplied as the same numbers in fp16, which is exact; the sum is divided
// by both scales, that is, multiplied by the product of their inverses, and rounded to the format.
// Decides which operators a part consists of; whoever runs an operator is a function.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tools/halfmark/lab/fp8.hpp"
#include "tools/halfmark/lab/modes.hpp"
#include "tools/halfmark/lab/operators.hpp"
#include "tools/halfmark/lab/trace.hpp"

namespace halfmark::tools::lab {

/// Runs one operator, in any way.
using Engine =
    std::function<std::vector<formats::Tensor>(const Operator& op, const Operands& operands)>;

/// Whether a result is in the trace, and whether its operator makes zeros.
enum class Watch : std::uint8_t { kNo, kYes, kMasked };

class Step {
 public:
  /// All must outlive the step. With `scales`, products have operands in 8 bits.
  Step(const Mode& mode, std::size_t batch, const Engine& engine, StepTrace& trace,
       Scales* scales = nullptr)
      : mode_(mode), batch_(batch), engine_(engine), trace_(trace), scales_(scales) {}

  /// The first result.
  formats::Tensor run(const Operator& op, const Operands& operands, Watch watch = Watch::kYes);
  [[nodiscard]] std::vector<formats::Tensor> run_all(const Operator& op,
                                                     const Operands& operands) const {
    return engine_(op, operands);
  }
  /// To the mode's format; in fp32 nothing is cast.
  formats::Tensor cast(std::string name, const formats::Tensor& from, Watch watch = Watch::kNo);
  /// x W^T + b, of which only the last result is rounded to the mode's format.
  formats::Tensor linear(const std::string& name, const formats::Tensor& x,
                         const formats::Tensor& w, const formats::Tensor& b);
  formats::Tensor activated(Activation activation, std::string name, const formats::Tensor& h);
  formats::Tensor through_activation(Activation activation, std::string name,
                                     const formats::Tensor& gradient, const formats::Tensor& h);
  /// Element by element, rounded once to the mode's format; the mask is fp32.
  formats::Tensor masked(const std::string& name, const formats::Tensor& x,
                         const formats::Tensor& mask);
  /// gradient^T x, of the layer whose sums have this name.
  formats::Tensor weight_gradient(std::string name, const std::string& layer,
                                  const formats::Tensor& gradient, const formats::Tensor& x);
  /// gradient W
  formats::Tensor input_gradient(std::string name, const std::string& layer,
                                 const formats::Tensor& gradient, const formats::Tensor& w);
  formats::Tensor bias_gradient(std::string name, const formats::Tensor& gradient);

 private:
  /// In 8 bits, kept in fp16, which holds every number of e4m3 and e5m2.
  struct Eight {
    formats::Tensor values;
    formats::Bits inverse;  // of the scale, fp32
  };
  struct Operand {
    std::string name;
    const formats::Format& format;  // in 8 bits
    const formats::Tensor& tensor;
  };
  [[nodiscard]] const formats::Format& accumulator() const;
  formats::Tensor scaled(const std::string& name, const formats::Tensor& x, formats::Bits factor);
  const Eight& in_8_bits(const Operand& operand);
  formats::Tensor product(Operator op, const Operand& a, const Operand& b, Watch watch);
  formats::Tensor sums(const std::string& name, const formats::Tensor& x, const formats::Tensor& w,
                       std::size_t outputs);

  const Mode& mode_;
  std::size_t batch_;
  const Engine& engine_;
  StepTrace& trace_;
  Scales* scales_;
  std::map<std::string, Eight> eights_;  // forward and backward pass share their operands
};

/// An fp32 encoding as a number.
[[nodiscard]] double fp32_number(formats::Bits bits);

}  // namespace halfmark::tools::lab
