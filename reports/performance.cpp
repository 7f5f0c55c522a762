// SPDX-License-Identifier: Apache-2.0
#include "reports/performance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

// Declared rates are of a nominal clock; a boost beyond it stays below this.
constexpr double kAbovePeak = 1.02;
constexpr double kMemoised = 4;
constexpr double kThrottled = 1.1;
constexpr double kCpu = 0.05;
constexpr double kNoGain = 1.2;
constexpr double kGain = 1.5;
// Operations a byte; operators on elements and rows lie below one.
constexpr double kComputeBound = 16;

bool is_long(const ThroughputRow& row) {
  return row.gain && row.median_ns * row.gain->ratio >= kTellingNs;
}

bool tells(const ThroughputRow& row) { return is_long(row) && is_compute_bound(row.run); }

// Another shape of the same operator, provider and formats gains as fp16 units give it.
bool gains_elsewhere(const ThroughputRow& slow, const std::vector<ThroughputRow>& rows) {
  return std::ranges::any_of(rows, [&](const ThroughputRow& row) {
    return tells(row) && row.gain->ratio >= kGain && row.run.operation == slow.run.operation &&
           row.run.provider == slow.run.provider && row.run.formats == slow.run.formats &&
           row.run.shape_class != slow.run.shape_class;
  });
}

const ThroughputRow* find_without_casts(const ThroughputRow& cast,
                                        const std::vector<ThroughputRow>& rows) {
  const std::string operation = cast.run.operation.substr(kAutocast.size());
  const auto found = std::ranges::find_if(rows, [&](const ThroughputRow& row) {
    return row.excluded.empty() && row.run.operation == operation &&
           row.run.provider == cast.run.provider && row.run.formats == cast.run.formats &&
           row.run.shape == cast.run.shape && row.run.fill == cast.run.fill;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::optional<TimeFault> cast_traffic(const ThroughputRow& row,
                                      const std::vector<ThroughputRow>& rows) {
  const ThroughputRow* alone = find_without_casts(row, rows);
  if (alone == nullptr || !tells(*alone) || alone->gain->ratio < kGain ||
      row.gain->ratio >= kNoGain)
    return {};
  return TimeFault{
      "cast_traffic",
      fmt::format("fp32 takes {:.3g} x the time of fp16 alone, and {:.3g} x with the "
                  "casts of its operands: {:.3g} ms of casts",
                  alone->gain->ratio, row.gain->ratio, (row.median_ns - alone->median_ns) * 1e-6)};
}

std::optional<TimeFault> slow_path(const ThroughputRow& row,
                                   const std::vector<ThroughputRow>& rows) {
  const double ratio = row.gain->ratio;
  if (row.run.operation.starts_with(kAutocast)) return cast_traffic(row, rows);
  if (ratio >= kNoGain) return {};
  const std::string told = fmt::format("fp32 takes {:.3g} x the time of fp16", ratio);
  if (ratio < kCpu) return TimeFault{"fallback_cpu", told};
  if (!gains_elsewhere(row, rows)) return TimeFault{"fallback_fp32", told};
  return TimeFault{"fallback_shape", told + " at this shape, and gains at others"};
}

}  // namespace

bool is_compute_bound(const ThroughputRun& run) {
  return run.bytes > 0 &&
         static_cast<double>(run.flops) >= kComputeBound * static_cast<double>(run.bytes);
}

std::optional<TimeFault> implausible(const ThroughputRun& run, double median_ns) {
  if (run.declared_gflops <= 0 || median_ns <= 0) return {};
  const double of_peak = static_cast<double>(run.flops) / median_ns / run.declared_gflops;
  if (of_peak <= kAbovePeak) return {};
  return TimeFault{"implausible", fmt::format("{:.3g} x the declared rate of {:.6g} Gflop/s",
                                              of_peak, run.declared_gflops)};
}

std::optional<TimeFault> memoised(const ThroughputRun& run, double median_ns) {
  const auto fresh = static_cast<double>(run.fresh_ns);
  if (median_ns <= 0 || fresh < kMemoised * median_ns || fresh < kTellingNs) return {};
  return TimeFault{"memoised",
                   fmt::format("inputs not seen before take {:.3g} x the time", fresh / median_ns)};
}

std::optional<TimeFault> throttling(const ThroughputRun& run) {
  const std::span<const std::uint64_t> samples = run.samples_ns;
  if (samples.size() < 6) return {};
  const auto first = samples.first(samples.size() / 3);
  const auto last = samples.last(samples.size() / 3);
  if (std::ranges::max(first) >= std::ranges::min(last)) return {};
  const double slower = median_of(last) / std::max(median_of(first), 1.0);
  if (slower < kThrottled) return {};
  return TimeFault{"throttling",
                   fmt::format("the last samples take {:.3g} x the time of the first", slower)};
}

void find_cast_costs(std::vector<ThroughputRow>& rows) {
  for (ThroughputRow& row : rows) {
    if (!row.excluded.empty() || !row.run.operation.starts_with(kAutocast)) continue;
    const ThroughputRow* alone = find_without_casts(row, rows);
    if (alone == nullptr || row.run.bytes < alone->run.bytes) continue;
    row.casts =
        CastCost{.ns = row.median_ns - alone->median_ns, .bytes = row.run.bytes - alone->run.bytes};
  }
}

void find_slow_paths(std::vector<ThroughputRow>& rows) {
  for (ThroughputRow& row : rows) {
    // The traffic of casts is what an operator with them is asked for, whatever bounds it.
    const bool with_casts = row.run.operation.starts_with(kAutocast);
    if (!row.fault && (with_casts ? is_long(row) : tells(row))) row.fault = slow_path(row, rows);
  }
}

}  // namespace halfmark::reports
