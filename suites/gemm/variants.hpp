// SPDX-License-Identifier: Apache-2.0
// The variants of a product: its scalars, batch, gaps, epilogue, repeats and cut into calls, one
// row for each word of the axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "suites/core/execute/plan.hpp"
#include "suites/gemm/epilogue.hpp"

namespace halfmark::suites::gemm {

/// Whether one product is computed in calls of 1, 2, 3, ... rows or columns: every size that the
/// edge of a tile can have.
enum class Pieces : std::uint8_t { kNone, kRows, kColumns };

/// How D is scaled, finished, laid out and cut into calls.
struct Variant {
  std::string_view name;
  std::string_view help;
  bool scaled = false;
  formats::Bits alpha = 0, beta = 0;  // fp32
  std::size_t batch = 1;
  bool padded = false;                        // guard elements after each row of every matrix
  bool shared_b = false;                      // one B for the whole batch
  bool shared_a = false;                      // one A; with one B, all results must be alike
  std::size_t start = 0;                      // elements before each matrix; NaN before operands
  bool bias = false;                          // after scaling: one row is added to every row
  Activation activation = Activation::kNone;  // after the bias
  const GeluDeparture* departure = nullptr;   // of GELU by tanh, in hypotheses alone
  std::size_t repeats = 0;                    // further calls that must return the same bits
  Concurrency concurrency = Concurrency::kNone;
  Pieces pieces = Pieces::kNone;
  std::string_view far = {};  // this matrix has rows so far apart that offsets exceed 2^31

  [[nodiscard]] bool plain_epilogue() const { return !bias && activation == Activation::kNone; }
};

/// In the order of the table.
[[nodiscard]] std::vector<std::string_view> variant_names();
/// Throws std::logic_error if there is no such variant.
[[nodiscard]] const Variant& find_variant(std::string_view name);

}  // namespace halfmark::suites::gemm
