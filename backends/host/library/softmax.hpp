// SPDX-License-Identifier: Apache-2.0
//
// softmax, log_softmax and their gradients: x [, mask, added to it] gives y; y and dy give dx. The
// option masked_row=zero asks for zeros in rows of -inf, which otherwise are NaN.
//
// Softmax, log-softmax and their gradients along the last axis, as a vendor's library computes
// them: fp32 inside, one rounding at the end. Every step that a fault can alter is a field of the
// policy; the default is right.
#pragma once

#include <limits>

#include "backends/host/library/rows.hpp"

namespace halfmark::backends::host::library {

enum class MaskedRow : std::uint8_t { kFormula, kZero, kUniform };

struct SoftmaxPolicy {
  Addressing addressing;
  Functions functions;
  Summation sum;
  Storing storing;
  bool shifts = true;  // by the maximum of the row
  float first_maximum = -std::numeric_limits<float>::infinity();
  bool zeroes_rows_without_maximum = false;  // those in which only NaN and -inf stand
  MaskedRow masked_row = MaskedRow::kFormula;
  bool divides_zeroed_rows = false;  // also where the caller asks for zeros
  bool pads_with_zeros = false;      // to the next power of two
  std::size_t widest_whole = 0;      // of wider rows the last incomplete wave is not summed; 0: all
  std::size_t wave = 64;
  std::size_t stale_every = 0;  // one row in so many uses the maximum of the row before; 0: none
  bool reciprocal_in_half = false;
  // Rows of a greater maximum take the exponential by powers of two.
  float natural_up_to = std::numeric_limits<float>::infinity();
  bool log_of_quotient = false;
  bool keeps_kernels_by_shape = false;  // and forgets for which format they were made
  std::size_t online_lanes = 0;         // lanes that rescale themselves, empty ones too; 0: none
  bool subtracts_row_sum = true;        // backward
};

// Lets a fault or control of softmax and its gradient alter the policy; others leave it as it is.
void plant(const Fault& fault, bool backward, SoftmaxPolicy& policy);

[[nodiscard]] std::span<const OperatorRow> softmax_operators();

}  // namespace halfmark::backends::host::library
