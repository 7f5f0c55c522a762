// SPDX-License-Identifier: Apache-2.0
// Statistics of times: medians with their interval, which times count, and the gain of fp16 over
// fp32. Decides the boundaries between the bands of gain, and which rows are partners. Never
// decides whether a device conforms, nor what kind of fp16 it has. Assumes that each sample is of
// one launch; nothing is known about the distribution, so intervals are order statistics.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] double median_of(std::span<const std::uint64_t> samples_ns);

/// Order statistics that enclose the true median with a probability of at least 95 % (binomial).
/// Absent for fewer than six samples, which cannot reach 95 %.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const std::uint64_t> samples_ns);

/// A band of the ratio of the fp16 rate to the fp32 rate, which is less than `below`. Boundaries:
/// 1.0, where fp16 is no slower; 1.2, above what saved traffic or shared units explain; 1.5, what a
/// device with fp16 units of its own is expected to reach; 2, two operations for one.
struct GainBand {
  double below;
  std::string_view name, sentence;
};
[[nodiscard]] std::span<const GainBand> gain_bands();
[[nodiscard]] const GainBand& band_of(double ratio);

[[nodiscard]] std::vector<ThroughputRow> make_throughput(
    const std::vector<ThroughputRun>& runs, const std::vector<suites::CaseResult>& sorted_results);

/// The fraction of the declared rate that was reached; 0 when no rate is declared.
[[nodiscard]] double of_declared(const ThroughputRow& row);

/// The operation that a chain repeats: "fma" of "chain.fma". Empty if the row is no chain.
[[nodiscard]] std::string_view link_of(const ThroughputRun& run);

/// "fp16" of "fp16.acc-fp32.out-fp16".
[[nodiscard]] std::string_view input_format(const ThroughputRun& run);

/// Whether the row is a repeated timing at the end of the run, which shows whether clocks moved.
[[nodiscard]] bool is_again(const ThroughputRun& run);

/// "gemm fp16.acc-fp32.out-fp16 library nn.m64n64k64.plain normal": one row of the throughput.
[[nodiscard]] std::string kernel_text(const ThroughputRow& row);

/// The row that changed most when it was timed again at the end of the run: `ratio` is its later
/// time over its earlier one.
struct Retimed {
  std::string row;  // empty: nothing was timed twice
  double ratio = 1;
  [[nodiscard]] double change() const { return ratio < 1 ? 1 / ratio : ratio; }
};
[[nodiscard]] Retimed most_changed(const std::vector<ThroughputRow>& rows);

/// A sentence that names that row, if its two times differ by more than a tenth; else empty.
[[nodiscard]] std::string clocks_moved(const std::vector<ThroughputRow>& rows);

/// The row of the chain's fastest width; null when no row of the chain counts.
[[nodiscard]] const ThroughputRow* best_chain(const std::vector<ThroughputRow>& rows,
                                              std::string_view link, std::string_view format);

/// 1e9 flops or bytes per second; 0 when the row does not count them.
[[nodiscard]] double gigaflops(const ThroughputRow& row);
[[nodiscard]] double gigabytes_per_second(const ThroughputRow& row);

}  // namespace halfmark::reports
