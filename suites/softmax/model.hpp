// SPDX-License-Identifier: Apache-2.0
// What an implementation of softmax with its own order of operations may return: an interval for
// every output, for the correct evaluation and for mistakes seen in practice. Used for providers
// whose arithmetic is not specified.
//
// The bound allows this evaluation: fp32 inside, exp within 2 ulp of its argument, an argument off
// by up to 4 |d| u (the difference is rounded, and so is its product with log2 e where exp is built
// on exp2), sums of n terms in any order (n u), a quotient or a product with a reciprocal within 2
// ulp, log within 2 ulp, subnormal fp32 intermediates kept or flushed, one rounding to the output
// format; u = 2^-24. First order: P. Blanchard, D. J. Higham, N. J. Higham, "Accurately computing
// the log-sum-exp and softmax functions", IMA Journal of Numerical Analysis 41 (2021), and Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd edition, 3.1 and 4.2.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/softmax_steps.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/hidden.hpp"

namespace halfmark::suites::softmax {

/// Which row of the mask is added.
enum class Mask : std::uint8_t {
  kRight,
  kNone,
  kFirstRow,
  kTransposed,
  kColumnBefore,
  kColumnAfter
};

inline constexpr double kNoLeast = -std::numeric_limits<double>::infinity();

/// How rows are evaluated; the defaults are correct.
struct Model : SoftmaxSteps {
  bool stale_max = false;  // maximum of the previous row
  Mask mask = Mask::kRight;
  double hidden_by = -std::numeric_limits<double>::infinity();  // what is added to hidden logits
  std::size_t pad_multiple = 0;  // rows are padded to a multiple; 1: to a power of two
  double pad_value = 0;
  std::size_t max_limit = 0;  // elements from this one on are left out of the maximum
  // Of every `wave` terms of a row sum, only the first `kept` count.
  std::size_t wave = 0, kept = 0;
  std::size_t sum_lanes = 1;
  const formats::Format* sum_to = nullptr;  // format of the finished sum
  const formats::Format* log_in = nullptr;  // format of the logarithm of the sum
  // Parts of the sum are not rescaled when a later block of this size raises the maximum.
  std::size_t online_block = 0;
  bool first_block_alone = false;    // only the first of those blocks
  std::size_t twice_from = 0;        // elements from this one to twice its index are summed twice
  double least_exponent = kNoLeast;  // lower limit of x - max
  double cut_below = kNoLeast;       // exp of smaller arguments is 0
  // exp's upper limit takes a NaN, and the maximum starts at the lowest number: a row with a NaN,
  // or with an infinity that is its maximum, has an infinite sum.
  bool limits_nan = false;
  bool not_divided = false;                      // results are the exponentials
  bool copies_single = false;                    // results are the logits, in rows of one
  const formats::Format* quotient_in = nullptr;  // format of the quotient before its logarithm
  // Format of exp, or of x - max, where the result is made of it, and not in the sum.
  const formats::Format* numerator_in = nullptr;
  bool no_row_sum = false;
  bool row_sum_of_dy = false;                   // instead of y dy
  const formats::Format* product_in = nullptr;  // format of y dy
  const formats::Format* row_sum_to = nullptr;  // format of the finished row sum
  bool probability_not_raised = false;          // y for exp(y), in the gradient of log-softmax
  bool flushes = false;                         // subnormal results
  bool dense = false;                           // strides are ignored
  std::size_t dense_groups = 1;                 // or only within groups of as many rows
  unsigned offset_bits = 64;                    // width of a row's offset
  bool other_format = false;                    // the preceding call's kernel, in another format
  Hiding hiding = Hiding::kSpecified;           // of kernels only
};

/// The model's outputs in the case's layout; for portable kernels those of specified_model().
[[nodiscard]] Expectation evaluate_model(const Case& c, const TensorSet& inputs,
                                         const Model& model);

/// The correct model of a case, with its policy for masked rows.
[[nodiscard]] Model right_model(const Binding& b);

/// The specified sequence with the model's steps, of the members that mistakes of portable
/// kernels change.
[[nodiscard]] TensorSet specified_model(const Binding& b, const TensorSet& inputs,
                                        const Model& model);

}  // namespace halfmark::suites::softmax
