// SPDX-License-Identifier: Apache-2.0
// What an implementation of cross-entropy that keeps its own order may give: intervals for every
// output, for the right evaluation and for those that have gone wrong in practice.
//
// The evaluation that a bound allows: the loss of a row is the negative of log-softmax at its
// label, with the errors that suites/softmax/model.hpp derives; N losses are summed in any order
// (N u sum|l|) and divided by one division. A gradient is (p - [label]) dy / N: p is a quotient of
// exponentials or the exponential of log-softmax, the factors are multiplied in any order, before
// the difference or after it: |dy / N| (error of p + 4 u (p + [label])). fp32 subnormals may be
// flushed inside; one rounding to the output format; u = 2^-24.
#pragma once

#include <cstdint>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/cross_entropy/binding.hpp"

namespace halfmark::suites::cross_entropy {

/// How labels are read.
enum class Labels : std::uint8_t {
  kRight,
  kLowHalf,        // only the lower 32 bits of wide ones
  kAsWords,        // wide ones as if they were an array of 32-bit words
  kClamped,        // those beyond the classes as the nearest class
  kFromTheEnd,     // negative ones count from the last class back
  kBeyondIgnored,  // those beyond the classes do not count
  kFromOne,        // classes are counted from 1
  kLowBits,        // the lower bits of those of a class
  kAllLowBits      // the lower bits of all that are not negative
};

/// How it is evaluated; as it stands: rightly.
struct Model {
  bool shifts = true;                               // by the row's maximum
  bool log_of_quotient = false;                     // the logarithm of the fp32 softmax
  bool drops_nan = false;                           // NaN counts as -inf
  bool masked_row_is_zero = false;                  // its loss and its gradients
  const formats::Format* exp_in = nullptr;          // exponentials are rounded to it
  const formats::Format* sum_in = nullptr;          // their running sum is
  const formats::Format* losses_in = nullptr;       // the running sum of losses is
  const formats::Format* factor_in = nullptr;       // 1 / N is
  const formats::Format* probability_in = nullptr;  // softmax is, in the gradient
  const formats::Format* log_in = nullptr;          // the logarithm of their sum is
  Labels labels = Labels::kRight;
  unsigned label_bits = 64;       // of Labels::kLowBits
  std::size_t online_block = 0;   // the sum of the first so many is not rescaled
  std::size_t max_limit = 0;      // classes from it on are not in the maximum
  std::size_t rows_multiple = 1;  // rows from its last one on are not in the sum of losses
  bool fixed_sentinel = false;    // -100 is ignored, whatever the call says
  bool ignores_first = false;     // labels of class 0 do not count
  bool counts_ignored = false;    // they are in N
  bool empty_mean_is_zero = false;
  // backward
  int term_apart = 0;  // the label's 1 is taken away so many classes behind it
  bool no_label_term = false, no_factor = false, no_upstream = false, upstream_by_row = false;
  bool ignored_rows_flow = false;  // their gradient is that of softmax
};

[[nodiscard]] Expectation evaluate_model(const Case& c, const TensorSet& inputs,
                                         const Model& model);

}  // namespace halfmark::suites::cross_entropy
