// SPDX-License-Identifier: Apache-2.0
// The operands of the arithmetic suite: fills that know the operation they are for.
#pragma once

#include <span>
#include <string_view>

#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::suites::arithmetic {

/// corners    every combination of notable encodings (zeros, ends of the subnormal and normal
/// ranges, 1 and its
///            neighbours, infinities, quiet and signaling NaN)
/// bits       every encoding equally likely
/// finite     random finite numbers of all magnitudes
/// near       operands within 2^12 of each other, so that sums align and quotients are ordinary
/// ties       results halfway between two neighbours, and one step beside
/// cancel     c = -round(a * b), or b = -a and neighbours: what is left is the rounding itself
/// subnormal  subnormal operands with ordinary partners
/// tiny       normal operands whose results are subnormal
/// all        a counts through every encoding (16-bit operands); of a conversion to 16 bits,
/// through
///            every number, midpoint and neighbour of a midpoint of its result
/// triples    of fp16, whose fma tells one rounding from two, and from other ways to do it wrong
/// pairs      consecutive pairs of encodings (pairs.hpp)
[[nodiscard]] std::span<const std::string_view> fill_names();

/// How many elements `all` needs.
[[nodiscard]] std::size_t count_of_all(const Operation& operation);

/// Whether the fill says anything about the operation; cases exist only where it does.
[[nodiscard]] bool applies(std::string_view fill, const Operation& operation);

[[nodiscard]] TensorSet operands_of(const Operation& operation, std::string_view fill,
                                    std::size_t count, const Case& c);

}  // namespace halfmark::suites::arithmetic
