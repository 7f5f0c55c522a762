// SPDX-License-Identifier: Apache-2.0
//
// Every step of a matrix product that an implementation decides, as values. The default is correct;
// each fault of group G is a different choice for one of these steps (gemm_faults.cpp).
//
// D = alpha * op(A) op(B) + beta * C, then bias, then the activation.
#pragma once

#include <cstdint>

#include "backends/host/faults.hpp"
#include "backends/host/library/number.hpp"
#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {

// How operands are read.
struct GemmReading {
  const Format* through = nullptr;  // null: unchanged; else rounded to this format
  Storing how = {};                 // how to round to it
  bool flushes = false;             // subnormal operands become zeros
  bool nan_is_zero = false;
  bool cuts_nan = false;       // NaN loses the fraction bits that tf32 lacks
  bool one_type_of_a = false;  // B is read in the format of A
};

enum class GemmOrder : std::uint8_t {
  kAscending,
  kDescending,
  kPairwise,  // a tree
  kStrided,   // every size-th product in one partial sum; the partial sums pairwise
  kBlocked,   // blocks of `size` products; block sums are added one by one to zero
  kSplit,     // `size` equal parts; part sums are added one by one to the first
};

// How one output is summed.
struct GemmSum {
  const Format* accumulator = &formats::kFp32;
  bool fused = true;  // products enter sums unrounded
  GemmOrder order = GemmOrder::kAscending;
  std::int64_t size = 1;
  const Format* parts = nullptr;  // null: keeps partial sums; else rounds them to this format
  const Format* total = nullptr;  // null: adds them in the accumulator's format
  bool order_drawn = false;       // of the partial sums, per call
  bool order_by_batch = false;    // if order_drawn: per batch instead
  bool skips_zero_operands = false;
  bool exact = false;          // all products are added exactly, and the sum is rounded once; legal
  bool steps_in_fp32 = false;  // fp16 sums round each step to fp32 first; legal
  std::int64_t aligned_group = 0;  // not 0: adds this many products at a time to the sum, truncated
  int aligned_bits = 0;            // to this many bits below the largest exponent
};

// Which products are summed and which elements are written.
struct GemmExtent {
  std::int64_t whole_multiple = 0;         // not 0: leaves out products past the last multiple
  std::int64_t most_products = INT64_MAX;  // leaves out products from here on
  int count_bits = 63;                     // in which k is counted
  std::int64_t rounded_up_to = 0;          // not 0: k is rounded up, so memory past the end is read
  bool odd_row_short = false;              // odd m: the last row lacks its last product
  std::int64_t short_row_tile = 0;         // not 0: the same when m + 1 is a multiple of it
  std::int64_t missing_tile_block = 0;     // not 0: the first 16 x 16 outputs lack the last block
  std::int64_t parts_in_one_workspace = 0;  // not 0: the last part is lost during a concurrent call
  bool empty_sum_returns = false;
  std::int64_t column_limit = INT64_MAX;  // does not write outputs from here on
  std::int64_t batch_limit = INT64_MAX;   // batches from here on use the first one's operands
  std::int64_t stored_vector = 1;         // elements per store; the last may pass the row's end
  int offset_bits = 63;                   // bits in which a row's offset is computed
  int offset_bits_of_d = 63;              // the same for a row of D
  bool ignores_row_distance = false;
  bool ignores_square_transpose = false;  // of B, when n equals k
  bool repeats_one_b = false;             // one B for all batches is read as if there were more
  bool keeps_workspace = false;           // sums start from those of the previous call
  bool pair_loads = false;                // addresses of 2 mod 4 bytes read one element early
};

enum class ReadsC : std::uint8_t {
  kWhenBetaIsNotZero,
  kAlways,
  kAlwaysInEdgeTiles,
  kAlwaysButInFirst
};

// The epilogue: from the sum to D.
struct GemmEpilogue {
  const Format* early = nullptr;      // null: scales the sum as it is; else rounds it first
  const Format* scaled_in = nullptr;  // null: fp32 (or the accumulator, if wider); else rounds
                                      // scalars and every step to it
  ReadsC reads_c = ReadsC::kWhenBetaIsNotZero;
  std::int64_t tile = 16;  // for kAlwaysInEdgeTiles
  bool rounds_before_bias = false;
  bool rounds_before_activation = false;
  bool unfused_beta = false;   // beta * C is rounded before it is added; legal
  bool gelu_by_tanh = false;   // when the erf form is requested
  bool rounds_cubic = false;   // 0.044715 to 0.0447
  bool relu_by_slope = false;  // of a negative number -0; legal
  Storing storing = {};        // for D
};

struct GemmPolicy {
  GemmReading reading;
  GemmSum sum;
  GemmExtent extent;
  GemmEpilogue epilogue;
};

// What a fault may examine before it acts.
struct GemmCase {
  const Format* a = nullptr;
  const Format* b = nullptr;
  const Format* d = nullptr;
  std::int64_t m = 0, n = 0, k = 0;
  bool one_b_for_all = false;  // several batches share one B
  bool half_sums = false;      // partial sums in half were requested
  Caller caller;
};

// Lets a fault or control of gemm alter the policy; any other one leaves it unchanged.
void plant(const Fault& fault, const GemmCase& shape, GemmPolicy& policy);

}  // namespace halfmark::backends::host::library
