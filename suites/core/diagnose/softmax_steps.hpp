// SPDX-License-Identifier: Apache-2.0
// Softmax of a row with some of its steps replaced: how the mistakes of kernels are computed that
// have the specified sequence of reference/operators/softmax.hpp, for every operator that begins
// with softmax. Decides the arithmetic of each mistake; the suites decide which of them exist.
#pragma once

#include <cstdint>

#include "reference/operators/softmax.hpp"
#include "suites/core/diagnose/kernel_fp32.hpp"

namespace halfmark::suites {

enum class MaskedRow : std::uint8_t { kNan, kZero, kUniform };

/// The defaults are correct. A block of 0 leaves nothing out, and a format that is null
/// rounds nothing.
struct SoftmaxSteps {
  bool shifts = true;
  bool max_from_zero = false;
  std::size_t max_block = 0;    // elements past the last multiple are left out of the maximum
  bool drops_nan_rows = false;  // rows with only NaN and -inf give 0
  bool nan_is_masked = false;   // NaN counts as -inf
  MaskedRow masked = MaskedRow::kNan;
  std::size_t tail_block = 0;                  // elements past the last multiple are not summed
  std::size_t online_lanes = 0;                // lanes without numbers produce a NaN
  const formats::Format* inputs_in = nullptr;  // of kernels only
  const formats::Format* shift_in = nullptr;   // format of x - max
  const formats::Format* exp_in = nullptr;
  const formats::Format* sum_in = nullptr;         // format of the running sum
  const formats::Format* reciprocal_in = nullptr;  // results are multiplied by it
  bool log_of_quotient = false;

  bool operator==(const SoftmaxSteps&) const = default;
};

/// Softmax of a row and its logarithm, with these steps.
[[nodiscard]] operators::Row softmax_row(const SoftmaxSteps& steps, const operators::Row& x);
[[nodiscard]] operators::Row log_softmax_row(const SoftmaxSteps& steps, const operators::Row& x);
/// The elements as these steps see them, and their sum.
[[nodiscard]] operators::Row row_seen(const SoftmaxSteps& steps, const operators::Row& row);
[[nodiscard]] formats::Bits row_sum(const SoftmaxSteps& steps, const operators::Row& terms);

}  // namespace halfmark::suites
