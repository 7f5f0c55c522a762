// SPDX-License-Identifier: Apache-2.0
// Finds times that are suspicious although the bits are right, in pure functions over rows of
// throughput. Decides the limits, and which faults exclude a row from the count. Never decides
// whether a device conforms: no device promises a rate. Assumes that samples are in the order in
// which they were taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// The rate exceeds the declared peak of the data sheet. Never reported without a data sheet.
[[nodiscard]] std::optional<TimeFault> implausible(const ThroughputRun& run, double median_ns);

/// Inputs that the device has not seen take several times as long as those that it has.
[[nodiscard]] std::optional<TimeFault> memoised(const ThroughputRun& run, double median_ns);

/// The full launch takes less than 1.1 times as long as one with half the steps: the steps are
/// folded, results are cached, or launch overhead dominates. The rate says nothing about the units.
[[nodiscard]] std::optional<TimeFault> folded(const ThroughputRun& run, double median_ns);

/// Every sample of the first third is shorter than every sample of the last, and the medians of the
/// two differ by a tenth or more.
[[nodiscard]] std::optional<TimeFault> throttling(const ThroughputRun& run);

/// Marks rows on fp16 data that are slower than fp32, at some shapes or at all, and products whose
/// casts cancel the gain. Says nothing about the kind of fp16: a slow time proves none.
void find_slow_paths(std::vector<ThroughputRow>& rows);

/// Sets what the casts of every autocast row cost, where the product without them was also timed.
void find_cast_costs(std::vector<ThroughputRow>& rows);

/// Prefix of a product that is timed with the casts of its operands; the operator's name follows.
inline constexpr std::string_view kAutocast = "autocast_";

}  // namespace halfmark::reports
