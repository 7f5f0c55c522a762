// SPDX-License-Identifier: Apache-2.0
// Statistics of times: medians with their interval, which times count, and the gain of fp16 over
// fp32. Decides the borders between the bands of gain, and which rows are partners. Never decides
// whether a device conforms, nor what kind of fp16 it has. Assumes: samples are of one launch each;
// nothing is known of their distribution, so intervals are order statistics.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] double median_of(std::span<const std::uint64_t> samples_ns);

/// Order statistics that hold the true median with at least 95 % (binomial); absent below six
/// samples, which cannot.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const std::uint64_t> samples_ns);

/// fp16 rate / fp32 rate, below `below`. 1.0: fp16 is no slower; 1.2: more than saved traffic or
/// shared units explain; 1.5: what a device with fp16 units of its own is expected to reach; 2: two
/// operations for one.
struct GainBand {
  double below;
  std::string_view name, sentence;
};
[[nodiscard]] std::span<const GainBand> gain_bands();
[[nodiscard]] const GainBand& band_of(double ratio);

[[nodiscard]] std::vector<ThroughputRow> make_throughput(
    const std::vector<ThroughputRun>& runs, const std::vector<suites::CaseResult>& sorted_results);

/// The part of the declared rate that was reached; 0 when nothing is declared.
[[nodiscard]] double of_declared(const ThroughputRow& row);

/// The operator that a chain repeats: "fma" of "chain.fma"; empty for what is no chain.
[[nodiscard]] std::string_view link_of(const ThroughputRun& run);

/// "fp16" of "fp16.acc-fp32.out-fp16".
[[nodiscard]] std::string_view input_format(const ThroughputRun& run);

/// Timed once more, at the end of the run, to see whether clocks moved.
[[nodiscard]] bool is_again(const ThroughputRun& run);

/// A row that was timed again at the end of the run, and its time then over its time before; the
/// one that changed most.
struct Retimed {
  std::string row;  // empty: nothing was timed twice
  double ratio = 1;
  [[nodiscard]] double change() const { return ratio < 1 ? 1 / ratio : ratio; }
};
[[nodiscard]] Retimed most_changed(const std::vector<ThroughputRow>& rows);

/// What that says when the two differ by more than a tenth; else empty.
[[nodiscard]] std::string clocks_moved(const std::vector<ThroughputRow>& rows);

/// The width of a chain with the highest rate; null when no row of it counts.
[[nodiscard]] const ThroughputRow* best_chain(const std::vector<ThroughputRow>& rows,
                                              std::string_view link, std::string_view format);

/// 1e9 operations, or bytes, a second; 0 when the row does not say.
[[nodiscard]] double gigaflops(const ThroughputRow& row);
[[nodiscard]] double gigabytes_per_second(const ThroughputRow& row);

}  // namespace halfmark::reports
