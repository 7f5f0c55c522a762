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
#include "suites/core/identify/summation_orders.hpp"

namespace halfmark::suites::layernorm {

enum class Update { kDivide, kReciprocal, kFused };

struct Moments {
  float mean = 0, squares = 0;  // squares: sum of squared deviations
};

/// The moments of each wave of threads by two passes, squares fused, merged as the order combines
/// waves (Chan et al.): Apex's contrib/layer_norm and Transformer Engine compute so
/// (warp_chan_upd_dynamic in ln_utils.cuh), contracted by their compiler. An order without waves
/// is one wave. `divides`: a wave's mean is a quotient, else a product with the rounded reciprocal.
[[nodiscard]] Moments moments_of_waves(std::span<const float> x, const Summation& sum,
                                       bool divides);

/// Computed in fp64 when `wide`, then rounded to fp32. Merging an empty part changes nothing.
[[nodiscard]] Moments moments_of(std::span<const float> x, const models::Order& order, bool wide,
                                 Update update);

}  // namespace halfmark::suites::layernorm
