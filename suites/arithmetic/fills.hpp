// SPDX-License-Identifier: Apache-2.0
// The operands of the arithmetic suite: fills tailored to the operation they feed.
#pragma once

#include <span>
#include <string_view>

#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::suites::arithmetic {

// clang-format off
/// corners    every combination of notable encodings (zeros, ends of the subnormal and normal
///            ranges, 1 and its neighbours, infinities, quiet and signaling NaN)
/// bits       every encoding equally likely
/// finite     random finite numbers of all magnitudes
/// near       operands within 2^12 of each other, so that sums align and quotients are ordinary
/// ties       results halfway between two neighbours, or one step away from that
/// cancel     c = -round(a * b), or b = -a and neighbours: what remains is the rounding error
/// subnormal  subnormal operands with ordinary partners
/// tiny       normal operands whose results are subnormal
/// all        a runs through every encoding (16-bit operands); for a conversion to 16 bits, through
///            every number of the result's format, every midpoint and the neighbours of midpoints
/// triples    fp16 triples whose fma distinguishes one rounding from two and from other mistakes
/// pairs      consecutive pairs of encodings (pairs.hpp)
// clang-format on
[[nodiscard]] std::span<const std::string_view> fill_names();

/// The number of elements that the fill `all` needs.
[[nodiscard]] std::size_t count_of_all(const Operation& operation);

/// Whether the fill is meaningful for the operation; only then are there cases.
[[nodiscard]] bool applies(std::string_view fill, const Operation& operation);

[[nodiscard]] TensorSet operands_of(const Operation& operation, std::string_view fill,
                                    std::size_t count, const Case& c);

}  // namespace halfmark::suites::arithmetic
