// SPDX-License-Identifier: Apache-2.0
// Compares a matrix unit of the processor with its model, and with the model's wrong neighbours:
// all pairs of corner products with all corner addends, then random sums. Decides the operands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/halfmark/selftest/silicon.hpp"
#include "tools/halfmark/selftest/silicon_neighbours.hpp"

namespace halfmark::tools {

struct SiliconReport {
  std::uint64_t compared = 0;
  std::uint64_t corners = 0;  // of the results compared
  std::uint64_t failures = 0;
  std::string first_failure;
  std::vector<SiliconNeighbour> neighbours;
  std::vector<std::uint64_t> contradicted;  // each neighbour: after how many results; 0: never
};

/// The unit must have a model, and must not be missing.
[[nodiscard]] SiliconReport compare_silicon(const SiliconUnit& unit, const SiliconOptions& options);

}  // namespace halfmark::tools
