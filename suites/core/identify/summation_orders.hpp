// SPDX-License-Identifier: Apache-2.0
// Sums of fp32 numbers in the orders of reference/models/order.hpp, as recipes (recipe.hpp) name
// them: in fp32 or in fp64, with products rounded to fp32 or fused. Decides which orders are
// worth trying.
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest (fast::FloatingPointScope).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/models/order.hpp"

namespace halfmark::suites {

struct Summation {
  models::Order order;
  bool wide = false;   // in fp64, rounded to fp32 at the end
  bool fused = false;  // a product enters the sum unrounded

  [[nodiscard]] float total(std::span<const float> terms) const;
  [[nodiscard]] float dot(std::span<const float> a, std::span<const float> b) const;
};

/// The sums of rows, each computed once while the answers that determine it stay the same.
class KeptTotals {
 public:
  explicit KeptTotals(std::size_t rows) : totals_(rows) {}

  /// Whether the answers differ from the previous ones; if so, all sums are forgotten.
  bool follow(std::span<const std::string> answers);
  template <typename Take>
  [[nodiscard]] float of(std::size_t row, const Take& take) {
    if (!totals_[row]) totals_[row] = take();
    return *totals_[row];
  }

 private:
  std::vector<std::string> answers_;
  std::vector<std::optional<float>> totals_;
};

/// The orders of sums of `count` terms: the plain ones, partial sums of usual sizes, then those of
/// blocks of 32 to 1024 lanes that take runs of 1, 2, 4 or 8 terms (one load) in turn and first add
/// up within waves of 32 or 64. A wave adds up by halves (shuffles down or across), in pairs, or in
/// one lane; PyTorch's block_reduce.cuh has halves32-halves, CUB's BlockReduceWarpReductions takes
/// the waves one by one, Apex's layer_norm has pairwise32-halves. Then those of a processor's loop
/// over registers of 4, 8 or 16 lanes, several a turn; x86's 256-bit sums of that kind end folded.
[[nodiscard]] std::vector<std::string> order_words(std::size_t count);
/// Throws std::invalid_argument if `word` is not an order.
[[nodiscard]] models::Order order_of(const std::string& word);

inline constexpr const char* kWideWord = "fp64";
[[nodiscard]] inline std::vector<std::string> width_words() { return {"fp32", kWideWord}; }

}  // namespace halfmark::suites
