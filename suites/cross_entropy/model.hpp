// SPDX-License-Identifier: Apache-2.0
// What an implementation of cross-entropy with its own order of operations may return: an interval
// for every output, for the correct evaluation and for mistakes seen in practice. For portable
// kernels, whose arithmetic is specified, a mistake has the bits of the specified sequence with one
// step replaced.
//
// The bound allows this evaluation: the loss of a row is minus its log-softmax at the label, with
// the errors that suites/softmax/model.hpp derives; N losses are summed in any order (error N u
// sum|l|) and divided by one division. A gradient is (p - [label]) dy / N, where p is a quotient of
// exponentials or the exponential of log-softmax, and the factors are multiplied in any order,
// before or after the difference: |dy / N| (error of p + 4 u (p + [label])). fp32 subnormals may be
// flushed inside; one rounding to the output format; u = 2^-24.
#pragma once

#include <cstdint>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/softmax_steps.hpp"
#include "suites/cross_entropy/binding.hpp"

namespace halfmark::suites::cross_entropy {

/// How labels are read.
enum class Labels : std::uint8_t {
  kRight,
  kLowHalf,        // only the lower 32 bits of 64-bit labels
  kAsWords,        // 64-bit labels are read as an array of 32-bit words
  kClamped,        // labels out of range become the nearest class
  kFromTheEnd,     // negative labels count backwards from the last class
  kBeyondIgnored,  // rows with labels out of range are ignored
  kFromOne,        // classes are counted from 1
  kLowBits,        // the lower bits of valid labels
  kAllLowBits      // the lower bits of all non-negative labels
};

/// How the loss is evaluated; the defaults are correct.
struct Model : SoftmaxSteps {
  bool masked_row_is_zero = false;                  // its loss and its gradients
  bool masked_row_is_uniform = false;               // its softmax
  const formats::Format* losses_in = nullptr;       // format of the running sum of losses
  const formats::Format* factor_in = nullptr;       // format of 1 / N, in kernels of dy / N
  const formats::Format* probability_in = nullptr;  // format of softmax in the gradient
  const formats::Format* log_in = nullptr;          // format of the logarithm of the sum
  Labels labels = Labels::kRight;
  unsigned label_bits = 64;       // for kLowBits and kAllLowBits
  std::size_t online_block = 0;   // the sum of this many first elements is not rescaled
  std::size_t max_limit = 0;      // classes from this one on are left out of the maximum
  std::size_t rows_multiple = 1;  // rows past the last multiple are left out of the sum of losses
  bool fixed_sentinel = false;    // -100 is ignored, whatever the call specifies
  bool ignores_first = false;     // labels of class 0 are ignored
  bool counts_ignored = false;    // ignored rows count in N
  bool empty_mean_is_zero = false;
  // backward
  int term_apart = 0;  // the label's 1 is subtracted this many classes later
  bool no_label_term = false, no_factor = false, no_upstream = false, upstream_by_row = false;
  bool ignored_rows_flow = false;  // ignored rows get the gradient of softmax
  bool scales_first = false;       // p f - f for (p - 1) f; of kernels only
};

/// For portable kernels specified_model().
[[nodiscard]] Expectation evaluate_model(const Case& c, const TensorSet& inputs,
                                         const Model& model);

/// The specified sequence with the model's steps, of the members that mistakes of portable
/// kernels change.
[[nodiscard]] TensorSet specified_model(const Binding& b, const TensorSet& inputs,
                                        const Model& model);

}  // namespace halfmark::suites::cross_entropy
