// SPDX-License-Identifier: Apache-2.0
// Which results of a large problem are compared: all results of some of its rows, since rows
// depend on no other row. Decides which rows, and cuts the operands and results of a smaller case
// of the same operator out of those of the large one; judges nothing.
//
// Assumption: a tensor whose elements are as many times those of the smaller case as there are
// times the rows, and no other, lies row after row.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "suites/core/case/case.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites::throughput {

/// What the reference computes of a problem: with fewer multiply-adds, or numbers in rows, all
/// rows are compared.
inline constexpr std::uint64_t kMostVerifiedProducts = std::uint64_t{1} << 33;
inline constexpr std::uint64_t kMostVerifiedNumbers = std::uint64_t{1} << 21;

struct SampledRows {
  Case c;                         // the same problem with as many rows as are compared
  std::vector<std::size_t> rows;  // ascending

  /// Those tensors that lie in rows, cut down to the sampled ones; the others as they are.
  [[nodiscard]] TensorSet cut(const TensorSet& tensors) const;

  std::size_t all_rows = 0;
  std::vector<std::string> in_rows = {};  // names of the tensors that are cut
};

/// Nothing if all rows are to be compared: those of a small problem, and of one whose results
/// mix rows (a gradient that is summed over them, a transposed operand).
[[nodiscard]] std::optional<SampledRows> sampled_rows(const Case& c,
                                                      const backends::DeviceInfo& device);

}  // namespace halfmark::suites::throughput
