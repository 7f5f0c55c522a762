// SPDX-License-Identifier: Apache-2.0
// `halfmark ref selftest --silicon` compares the matrix units of this machine's processor with
// their models, bit for bit: all combinations of corner values in two products and an addend, then
// random operands. A model that agrees counts only if the same results contradict every wrong
// neighbour of it.
//
// The unit under test is a value, so that a test can replace it by a wrong one.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "reference/models/unit.hpp"

namespace halfmark::tools {

// One instruction; operands and sums as in backends/cpu/unit_instructions.hpp.
struct SiliconUnit {
  std::string library, name, shape;
  std::string missing;        // why this processor cannot execute it; empty: it can
  const models::Unit* model;  // null: no row of the table
  int m, n, k, beside;
  std::function<void(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps)>
      chain;
};
[[nodiscard]] std::vector<SiliconUnit> units_of_this_processor();

struct SiliconOptions {
  std::uint64_t random_sums = 2'000'000;  // for each unit, beside the corners
  std::uint64_t corner_step = 1;          // 1 of so many groups of corner products
  std::uint64_t seed = 1;
  bool json = false;
};

// Returns exit code 0, 1 when something differed, or 3 when this processor has no unit.
[[nodiscard]] int selftest_silicon(std::ostream& out, const SiliconOptions& options,
                                   const std::vector<SiliconUnit>& units);

}  // namespace halfmark::tools
