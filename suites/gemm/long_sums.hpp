// SPDX-License-Identifier: Apache-2.0
// Finds the order of sums that are longer than those the inference examines: blocks, parts and
// tiles occur only at long k. The arithmetic of a chain is known or guessed; the orders of
// models/order.hpp, with common sizes (suites/core/suite/block_sizes.hpp), are combined with it and
// compared with observed results at full length.
//
// Decides which orders are worth trying there. Sends nothing to the device.
#pragma once

#include <span>
#include <vector>

#include "reference/inference/hypothesis.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The orders that explain every observed bit. `chains` are tried first and in every common size;
/// chains in other formats and on other matrix units are tried with powers of two.
[[nodiscard]] std::vector<inference::Hypothesis> orders_explaining(
    const std::vector<inference::Observation>& seen, std::span<const inference::Hypothesis> chains);

}  // namespace halfmark::suites::gemm
