// SPDX-License-Identifier: Apache-2.0
// Examines a black box in individual situations: special values, signs of zeros, subnormals,
// overflow, how many bits a node keeps and in which direction it rounds. Each finding rests on a
// few rows of one matrix product and not on a model, so even a box that no arithmetic explains has
// findings. The rows are also evidence: a hypothesis must reproduce them.
#pragma once

#include "reference/inference/structure.hpp"

namespace halfmark::inference {

struct Finding {
  std::string name;    // "nan.operand", "addition.direction"
  std::string value;   // an encoding, a number, or one of a few words
  std::string detail;  // what was asked, briefly
};

// Special values; needs no tree.
[[nodiscard]] std::vector<Finding> special_findings(Laboratory& laboratory);

// Bits kept and rounding direction, at an addition of two operands and inside a fused node. Uses
// the tree to find three leaves of which the first two meet before the third, and three that meet
// at once.
[[nodiscard]] std::vector<Finding> rounding_findings(Laboratory& laboratory,
                                                     const Structure& structure);

}  // namespace halfmark::inference
