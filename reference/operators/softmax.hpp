// SPDX-License-Identifier: Apache-2.0
// Softmax, log-softmax and the gradients of both over the rows of a matrix: Halfmark's kernel
// specification, operation by operation, and named departures from it.
//
// Every row is independent and evaluated in fp32, with reductions over the 64 lanes of lanes.hpp:
//   forward      m = max x_i      (v > m ? v : m from -inf; a NaN never wins)
//                s = sum exp(x_i - m) from +0        (exp of elementary.hpp)
//                y_i = exp(x_i - m) / s
//   log-forward  y_i = (x_i - m) - log(s)            (log of elementary.hpp)
//   backward     s = sum of fma(dy_i, y_i, s) from +0
//                dx_i = y_i * (dy_i - s)
//   log-backward s = sum of dy_i from +0
//                dx_i = fma(-exp(y_i), s, dy_i)   (y_i the logarithm)
// Each output is rounded once to the output format. A row whose elements are all -inf gives NaN
// (-inf - -inf), as does a row that contains +inf or a NaN.
//
// This file does not decide what is asserted, nor how a machine rounds or flushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

/// The specification, and the departures seen in other implementations.
enum class SoftmaxVariant : std::uint8_t {
  kSpecified,
  // forward and log-forward
  kNoShift,           // exp(x), without subtracting the row's maximum
  kMaxFromZero,       // the running maximum starts at 0
  kPaddingIsZero,     // the maximum sees 0 in the lanes past the end of the row
  kTailNotSummed,     // maximum and sum omit the elements from the last multiple of 64 on
  kNanIsMasked,       // a NaN counts as -inf
  kMaskedRowIsZero,   // a row whose maximum is -inf gives 0
  kMaskedRowUniform,  // a row whose elements are all -inf gives 1/width
  kEmptyLaneIsNan,    // a lane without elements contributes exp(-inf - -inf)
  kShiftInHalf,       // x - m rounded to fp16
  kExpInHalf,         // exp rounded to fp16
  kSumInHalf,         // the sum rounded to fp16 after every addition
  kAllInHalf,         // all three of these
  kAllInBf16,         // the same, rounded to bf16
  kInputsInBf16,      // x rounded to bf16 first
  kReciprocal,        // multiplies by the rounded reciprocal of the sum
  kReciprocalInHalf,  // multiplies by the reciprocal rounded to fp16
  kLogOfSoftmax,      // log(exp(x - m) / s)
  // backward
  kNoRowSum,       // dx = y * dy
  kProductInHalf,  // dy * y rounded to fp16 before it is summed
  kRowSumInHalf,   // the sum rounded to fp16 after every addition
};

struct SoftmaxParams {
  std::size_t rows = 0, width = 0;
  const formats::Format* output = nullptr;
  SoftmaxVariant variant = SoftmaxVariant::kSpecified;
};

/// Throws std::invalid_argument unless the operand, called `name` in the message, has rows * width
/// elements and there is a format for the result.
void require_well_formed(const SoftmaxParams& params, std::string_view name,
                         const formats::Tensor& operand);

/// Operands have rows * width elements, row after row, in any format; the result has as many in
/// params.output. All throw like require_well_formed().
[[nodiscard]] formats::Tensor softmax_forward(const SoftmaxParams& params, const formats::Tensor& x,
                                              const models::Machine& machine);
[[nodiscard]] formats::Tensor softmax_log_forward(const SoftmaxParams& params,
                                                  const formats::Tensor& x,
                                                  const models::Machine& machine);
[[nodiscard]] formats::Tensor softmax_log_backward(const SoftmaxParams& params,
                                                   const formats::Tensor& y,
                                                   const formats::Tensor& dy,
                                                   const models::Machine& machine);
[[nodiscard]] formats::Tensor softmax_backward(const SoftmaxParams& params,
                                               const formats::Tensor& y, const formats::Tensor& dy,
                                               const models::Machine& machine);

}  // namespace halfmark::operators
