// SPDX-License-Identifier: Apache-2.0
// What is seen of one step of a training.
//
// Names of gradients begin with d; those of weights are dW1, dW2, ..., those of biases db1, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/fast/statistics.hpp"

namespace halfmark::tools::lab {

struct TensorTrace {
  std::string name;
  fast::Statistics statistics;
  bool is_masked = false;  // its zeros are those of ReLU or dropout
};

/// An operand that was scaled and rounded to 8 bits.
struct ScaledTrace {
  std::string name;
  const formats::Format* format;
  std::uint64_t count, beyond, lost;    // beyond the largest number; numbers that became zero
  formats::Bits scale, amax, expected;  // fp32; what the scale was made for, 0 where it is none

  /// How many times as large as expected the tensor is; 1 where nothing was.
  [[nodiscard]] double excess() const;
};

struct StepTrace {
  std::size_t step = 0;
  double loss = 0, norm = 0;            // of the unscaled gradients, before they are clipped
  std::optional<double> accuracy = {};  // share of the batch whose class has the largest logit
  std::optional<double> clip_factor = {};
  std::vector<std::vector<double>> logits = {};  // of each row, where nothing was trained
  int scale = 0;                                 // log2 of what the step used
  bool skipped = false;
  std::vector<TensorTrace> tensors = {};  // in the order of their computation
  std::vector<ScaledTrace> scaled = {};
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
  /// Of all gradients of weights and biases, as stored.
  [[nodiscard]] double stored_norm() const;
};

[[nodiscard]] bool is_gradient_of_weights(std::string_view tensor);
[[nodiscard]] bool is_gradient_of_parameters(std::string_view tensor);

}  // namespace halfmark::tools::lab
