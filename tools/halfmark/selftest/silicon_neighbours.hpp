// SPDX-License-Identifier: Apache-2.0
// Wrong neighbours of the model of a matrix unit: each computes a sum of products as a unit of
// another design would.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "reference/models/unit.hpp"

namespace halfmark::tools {

// Operands of one sum, in increasing k, and the addend; the sum is in the model's output format.
struct UnitSum {
  std::vector<formats::Bits> a, b;
  formats::Bits c;
};

struct SiliconNeighbour {
  std::string_view name;
  std::function<formats::Bits(const UnitSum&)> evaluate;
};

// Those that differ from the model by their rule.
[[nodiscard]] std::vector<SiliconNeighbour> silicon_neighbours(const models::Unit& model);

[[nodiscard]] formats::Bits evaluate(const models::Unit& model, const UnitSum& sum);

}  // namespace halfmark::tools
