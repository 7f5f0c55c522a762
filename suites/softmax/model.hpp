// SPDX-License-Identifier: Apache-2.0
// What an implementation of softmax that keeps its own order may give: intervals for every output,
// for the right evaluation and for those that have gone wrong in practice. Used for providers whose
// arithmetic nobody specifies.
//
// The evaluation that a bound allows: fp32 inside, exp within 2 ulp of its argument and with an
// argument off by up to 4 |d| u (the difference is rounded, and so is its product with log2 e where
// exp is built on exp2), sums of n terms in any order (n u), a quotient or a product with a
// reciprocal within 2 ulp, log within 2 ulp, subnormal fp32 intermediates kept or flushed, one
// rounding to the output format; u = 2^-24. First order: P. Blanchard, D. J. Higham, N. J. Higham,
// "Accurately computing the log-sum-exp and softmax functions", IMA Journal of Numerical Analysis
// 41 (2021), and Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 3.1 and 4.2.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {

enum class MaskedRow : std::uint8_t { kNan, kZero, kUniform };

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

/// How rows are evaluated; as it stands: rightly.
struct Model {
  bool shifts = true;
  bool max_from_zero = false;
  bool stale_max = false;       // of the row before
  std::size_t max_block = 0;    // elements from its last multiple on are not in the maximum
  bool drops_nan_rows = false;  // rows in which only NaN and -inf stand give 0
  bool nan_is_masked = false;   // NaN counts as -inf
  Mask mask = Mask::kRight;
  double hidden_by = -std::numeric_limits<double>::infinity();  // what is added where it hides
  MaskedRow masked = MaskedRow::kNan;
  std::size_t pad_multiple = 0;    // rows are padded with zeros to it; 1: to a power of two
  std::size_t tail_block = 0;      // elements from its last multiple on are not summed
  std::size_t max_limit = 0;       // elements from it on are not in the maximum
  std::size_t wave = 0, kept = 0;  // of every `wave` terms of a sum over the row, the first `kept`
  std::size_t online_lanes = 0;    // lanes without numbers make a NaN
  const formats::Format* sum_in = nullptr;  // the running sum is rounded to it
  std::size_t sum_lanes = 1;
  const formats::Format* sum_to = nullptr;    // the finished sum is
  const formats::Format* log_in = nullptr;    // the logarithm of the sum is
  const formats::Format* shift_in = nullptr;  // x - max is rounded to it
  const formats::Format* exp_in = nullptr;
  bool half_reciprocal = false;
  std::size_t online_block = 0;  // parts of the sum are not rescaled when a later block of so many
                                 // raises the maximum
  bool first_block_alone = false;    // of those, only the first
  std::size_t twice_from = 0;        // elements from it to its double are summed twice
  double least_exponent = kNoLeast;  // x - max is no less
  double cut_below = kNoLeast;       // exp of less is 0
  bool not_divided = false;          // results are exponentials
  bool log_of_quotient = false;
  const formats::Format* quotient_in = nullptr;  // before its logarithm
  bool no_row_sum = false;
  bool row_sum_of_dy = false;                   // and not of y dy
  const formats::Format* product_in = nullptr;  // y dy is rounded to it
  const formats::Format* row_sum_to = nullptr;  // the finished sum over the row is
  bool probability_not_raised = false;          // y for exp(y), in the gradient of log-softmax
  bool flushes = false;                         // subnormal results
  bool dense = false;                           // strides ignored
  unsigned offset_bits = 64;                    // in which the offset of a row is kept
  bool other_format = false;                    // the kernel of the call before, in another format
};

/// The model's outputs in the case's layout.
[[nodiscard]] Expectation evaluate_model(const Case& c, const TensorSet& inputs,
                                         const Model& model);

/// The right model of a case: its policy for masked rows.
[[nodiscard]] Model right_model(const Binding& b);

/// Hypotheses for providers whose order is their own.
[[nodiscard]] std::vector<Hypothesis> library_hypotheses(const Case& c);

}  // namespace halfmark::suites::softmax
