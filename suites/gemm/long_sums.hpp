// SPDX-License-Identifier: Apache-2.0
// Which order a sum has that is longer than what the inference looks at: blocks, parts and tiles
// that only a long k has. A chain in a named arithmetic is known, or is guessed; the orders of
// models/order.hpp with usual sizes (suites/core/suite/block_sizes.hpp) are made of it and held
// against answers at full length.
//
// Decides which orders are worth trying there. Asks nothing.
#pragma once

#include <span>
#include <vector>

#include "reference/inference/hypothesis.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// Those that explain every bit of what was seen. `chains` come first and in every usual size;
/// chains in other formats and on other matrix units are tried in powers of two.
[[nodiscard]] std::vector<inference::Hypothesis> orders_explaining(
    const std::vector<inference::Observation>& seen, std::span<const inference::Hypothesis> chains);

}  // namespace halfmark::suites::gemm
