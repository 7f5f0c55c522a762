// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of rows of logits with one class label each, and its gradient: Halfmark's kernel
// specification, operation by operation.
//
// Everything is in fp32 and starts from what softmax.hpp specifies for the same row, without
// further rounding: the log-probabilities q and the probabilities p. t is the row's label and N the
// number of rows that count, that is, whose label is not the ignored one.
//   forward   l    = -q_t; NaN if t is not a class, +0 in a row that does not count
//             none   y_r = l_r
//             sum    y   = sum of l over the rows that count, over the 64 lanes of lanes.hpp
//             mean   y   = that sum / N
//             rounded to the output format
//   backward  f    = dy_r (none), dy (sum), dy / N (mean); dy in fp32
//             dx_i = (i = t: p_i - 1, else p_i) f, rounded to the output format;
//             NaN in a row whose label is not a class, +0 in a row that does not count
//
// This file does not decide what is asserted, nor how a machine rounds or flushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

enum class LossReduction : std::uint8_t { kNone, kMean, kSum };

struct CrossEntropyParams {
  std::size_t rows = 0, width = 0;
  std::span<const std::int64_t> labels;  // one per row
  std::int64_t ignored = -100;
  LossReduction reduction = LossReduction::kMean;
  const formats::Format* output = nullptr;
};

/// Returns one loss, or one per row. `log_probabilities` are in fp32, rows * width.
/// Throws std::invalid_argument for operands of other sizes or formats, or labels that
/// are not one per row.
[[nodiscard]] formats::Tensor cross_entropy_forward(const CrossEntropyParams& params,
                                                    const formats::Tensor& log_probabilities,
                                                    const models::Machine& machine);

/// `probabilities` are in fp32, rows * width; `dy` is in fp32, one number (where only the first is
/// read) or one per row. Throws like cross_entropy_forward().
[[nodiscard]] formats::Tensor cross_entropy_backward(const CrossEntropyParams& params,
                                                     const formats::Tensor& probabilities,
                                                     const formats::Tensor& dy,
                                                     const models::Machine& machine);

}  // namespace halfmark::operators
