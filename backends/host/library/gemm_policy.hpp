// SPDX-License-Identifier: Apache-2.0
//
// Every step of a matrix product that an implementation decides, as values. The default is a right
// one; each fault of group G is another choice at one of these steps (gemm_faults.cpp).
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
  const Format* through = nullptr;  // null: as they are; else rounded to this format on the way
  Storing how = {};                 // to it
  bool flushes = false;             // subnormal operands are zeros
  bool nan_is_zero = false;
  bool cuts_nan = false;  // NaN loses the fraction bits that tf32 lacks
};

enum class GemmOrder : std::uint8_t {
  kAscending,
  kDescending,
  kPairwise,  // a tree
  kStrided,   // every size-th product in one partial sum; these pairwise
  kBlocked,   // stretches of `size` products, added one by one to zero
  kSplit,     // `size` equal stretches, added one by one to the first
};

// How one output is summed.
struct GemmSum {
  const Format* accumulator = &formats::kFp32;
  bool fused = true;  // products enter sums unrounded
  GemmOrder order = GemmOrder::kAscending;
  std::int64_t size = 1;
  const Format* parts = nullptr;  // null: partial sums are kept; else rounded to this format
  const Format* total = nullptr;  // null: they are added in the accumulator's format
  bool order_drawn = false;       // per call, of the partial sums
  bool order_by_batch = false;    // with it: per batch instead
  bool skips_zero_operands = false;
  std::int64_t aligned_group = 0;  // not 0: so many products and the sum, truncated to
  int aligned_bits = 0;            //   this many bits below the largest exponent, at a time
};

// Which products and which elements.
struct GemmExtent {
  std::int64_t whole_multiple = 0;          // not 0: products beyond the last multiple are left out
  std::int64_t rounded_up_to = 0;           // not 0: k is rounded up, memory beyond is read
  bool odd_row_short = false;               // an odd m: the last row lacks its last product
  std::int64_t short_row_tile = 0;          // not 0: the same when m + 1 is a multiple of it
  std::int64_t missing_tile_block = 0;      // not 0: the first 16 x 16 outputs lack the last block
  std::int64_t parts_in_one_workspace = 0;  // not 0: beside another call the last part is lost
  bool empty_sum_returns = false;
  std::int64_t column_limit = INT64_MAX;  // outputs from here on are not written
  std::int64_t batch_limit = INT64_MAX;   // batches from here on use the first one's operands
  std::int64_t stored_vector = 1;         // results at once: the last go on between the rows
  int offset_bits = 63;                   // in which the offset of a row is computed
  int offset_bits_of_d = 63;              // the same of a result
  bool ignores_row_distance = false;
  bool ignores_square_transpose = false;  // of B, when n is k
  bool pair_loads = false;                // at 2 mod 4 bytes: one element early
};

enum class ReadsC : std::uint8_t {
  kWhenBetaIsNotZero,
  kAlways,
  kAlwaysInEdgeTiles,
  kAlwaysButInFirst
};

// From the sum to D.
struct GemmEpilogue {
  const Format* early = nullptr;      // null: the sum is scaled as it is; else rounded before
  const Format* scaled_in = nullptr;  // null: fp32 (or the accumulator, if wider); else scalars
                                      // and every step are rounded to it
  ReadsC reads_c = ReadsC::kWhenBetaIsNotZero;
  std::int64_t tile = 16;  // of kAlwaysInEdgeTiles
  bool rounds_before_bias = false;
  bool rounds_before_activation = false;
  bool gelu_by_tanh = false;  // where the form by erf is asked for
  Storing storing = {};       // of D
};

struct GemmPolicy {
  GemmReading reading;
  GemmSum sum;
  GemmExtent extent;
  GemmEpilogue epilogue;
};

// What a fault may look at before it acts.
struct GemmCase {
  const Format* a = nullptr;
  const Format* d = nullptr;
  std::int64_t m = 0, n = 0, k = 0;
  bool one_b_for_all = false;  // several batches, one B
  bool half_sums = false;      // asked for
  Caller caller;
};

// Lets a fault or control of gemm alter the policy; others leave it as it is.
void plant(const Fault& fault, const GemmCase& shape, GemmPolicy& policy);

}  // namespace halfmark::backends::host::library
