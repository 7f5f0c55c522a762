// SPDX-License-Identifier: Apache-2.0
// The ends of what a plain sum of products may be, from fp64 where fp64 decides them: both are
// the exact sum less and plus a spread, rounded once. Decides nothing about the bound
// (enclosure.cpp).
#pragma once

#include <optional>

#include "reference/formats/format.hpp"

namespace halfmark::suites::gemm {

struct Ends {
  formats::Bits low = 0, high = 0;
};

/// With spread = gamma * size + lost, from a sum and a size that are within error * size of the
/// exact ones; gamma is below 2^20. Each fp64 result here may be off by three roundings in any
/// direction, which is less than 2^-50 (|sum| + spread). If both ends of what that leaves are
/// rounded to the same number, so is the true one, because rounding is monotone. Otherwise nothing,
/// as for numbers near the limit of fp32.
[[nodiscard]] std::optional<Ends> plain_ends(const formats::Format& output, double sum, double size,
                                             double error, double gamma, double lost);

}  // namespace halfmark::suites::gemm
