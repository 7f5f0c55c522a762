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
// Weighted moments are another way to the same: a number that enters counts as a part of one, and
// parts are merged as share_x mean_x + share_y mean_y. cuDNN 9.14 computes rows so whose length is
// no multiple of 32, and each lane ends with a mean of its own: lanes merge across (a butterfly of
// shuffles), and share_x mean_x + share_y mean_y rounds another way than with x and y exchanged.
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest
// even (fast::FloatingPointScope).
#pragma once

#include <span>
#include <vector>

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

/// Whether each lane ends with moments of its own: the order is one wave that adds up by halves.
[[nodiscard]] bool has_lanes(const models::Order& order);

/// Of each lane, if they have their own (lane 0's are those of shuffles down, too); otherwise there
/// is one result. `reciprocals`: of each count from 0 (unused)
/// to that of x, a share being the product with it; empty: shares are quotients.
[[nodiscard]] std::vector<Moments> weighted_moments_of(std::span<const float> x,
                                                       const models::Order& order,
                                                       std::span<const float> reciprocals);

/// Computed in fp64 when `wide`, then rounded to fp32. Merging an empty part changes nothing.
[[nodiscard]] Moments moments_of(std::span<const float> x, const models::Order& order, bool wide,
                                 Update update);

}  // namespace halfmark::suites::layernorm
