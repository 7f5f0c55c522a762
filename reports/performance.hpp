// SPDX-License-Identifier: Apache-2.0
// What is wrong with a time although the bits are right: pure functions over rows of throughput.
// Decides the limits; which of them also takes a row out of the count. Never decides whether a
// device conforms: nobody promises a rate. Assumes: samples are in the order in which they were
// taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// Faster than the data sheet says that the device can be; nothing without a data sheet.
[[nodiscard]] std::optional<TimeFault> implausible(const ThroughputRun& run, double median_ns);

/// Inputs that the device has not seen take several times as long as those that it has.
[[nodiscard]] std::optional<TimeFault> memoised(const ThroughputRun& run, double median_ns);

/// Half the steps take more than two thirds of the time: the launch is folded, kept from before, or
/// bound by launching, and its rate says nothing of the units.
[[nodiscard]] std::optional<TimeFault> folded(const ThroughputRun& run, double median_ns);

/// The samples of the first third are all shorter than those of the last, by a tenth and more.
[[nodiscard]] std::optional<TimeFault> throttling(const ThroughputRun& run);

/// What the gains of the rows say together: fp16 that is slower than fp32, for some shapes or for
/// all, and casts that eat the gain. Says nothing of the kind of fp16: slowness proves none.
void find_slow_paths(std::vector<ThroughputRow>& rows);

/// Gives every autocast row what its casts cost, where the product without them was timed too.
void find_cast_costs(std::vector<ThroughputRow>& rows);

/// A product that is timed with the casts of its operands; `operation` is "autocast_" and the
/// operator's name.
inline constexpr std::string_view kAutocast = "autocast_";

}  // namespace halfmark::reports
