// SPDX-License-Identifier: Apache-2.0
// Mean and sum of squared deviations by running updates (Welford, Technometrics 4, 1962) and by
// merging partial results (T. F. Chan, G. H. Golub, R. J. LeVeque, The American Statistician 37,
// 1983), in the orders of reference/models/order.hpp. The update step is one that libraries use:
//
// clang-format off
//   kDivide      mean + delta / n; merged with nx / n and ny / n: Apex's layer_norm
//   kReciprocal  mean + delta * (1 / n); merged with nx * (1 / n), ny * (1 / n): PyTorch's
//   kFused       kReciprocal as a compiler contracts it: each first product is fused
// clang-format on
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest
// even (fast::FloatingPointScope).
#pragma once

#include <span>

#include "reference/models/order.hpp"

namespace halfmark::suites::layernorm {

enum class Update { kDivide, kReciprocal, kFused };

struct Moments {
  float mean = 0, squares = 0;  // squares: sum of squared deviations
};

/// Computed in fp64 when `wide`, then rounded to fp32. Merging an empty part changes nothing.
[[nodiscard]] Moments moments_of(std::span<const float> x, const models::Order& order, bool wide,
                                 Update update);

}  // namespace halfmark::suites::layernorm
