// SPDX-License-Identifier: Apache-2.0
// What a black box does in single, telling situations: special values, signs of zeros, subnormals,
// overflow, how many bits a node keeps and in which direction it rounds. Each finding stands on a
// few rows of one matrix product and on no model; a box that no arithmetic explains has findings
// too. The rows are evidence as well: a hypothesis must reproduce them.
#pragma once

#include "reference/inference/structure.hpp"

namespace halfmark::inference {

struct Finding {
  std::string name;    // "nan.operand", "addition.direction"
  std::string value;   // an encoding, a number, or one of a few words
  std::string detail;  // what was asked, in a few words
};

// Special values; needs no structure.
[[nodiscard]] std::vector<Finding> special_findings(Laboratory& laboratory);

// Bits kept and direction, at an addition of two and inside a fused node. Uses the tree to find
// three leaves of which the first two meet before the third, and three that meet at once.
[[nodiscard]] std::vector<Finding> rounding_findings(Laboratory& laboratory,
                                                     const Structure& structure);

}  // namespace halfmark::inference
