// SPDX-License-Identifier: Apache-2.0
#include "reports/throughput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "reports/performance.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;

constexpr GainBand kBands[] = {
    {1.0, "below 1.0",
     "fp16 is slower than fp32: conversion or emulation costs more than halved traffic saves"},
    {1.2, "1.0 to 1.2", "no real gain: fp32 units, or traffic eaten by conversions"},
    {1.5, "1.2 to 1.5", "less than fp16 units are expected to give"},
    {std::numeric_limits<double>::infinity(), "1.5 and above",
     "a gain as of native fp16; time alone does not prove it"},
};

std::vector<std::uint64_t> sorted(std::span<const std::uint64_t> samples) {
  std::vector<std::uint64_t> copy(samples.begin(), samples.end());
  std::ranges::sort(copy);
  return copy;
}

// The largest rank k with P(Binomial(n, 1/2) < k) <= 2.5 %; 0 when even the extremes do not reach
// 95 %.
std::size_t lower_rank(std::size_t n) {
  const double count = static_cast<double>(n);
  double cumulative = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double chosen = static_cast<double>(k);
    const double log_choose =
        std::lgamma(count + 1) - std::lgamma(chosen + 1) - std::lgamma(count - chosen + 1);
    cumulative += std::exp(log_choose - count * std::log(2.0));
    if (cumulative > 0.025) return k;
  }
  return 0;
}

std::string input_format(const ThroughputRun& run) {
  return run.formats.substr(0, run.formats.find_first_of(". ,/"));
}

std::string why_excluded(const ThroughputRun& run, const std::vector<CaseResult>& results) {
  if (!run.doubt.empty()) return run.doubt;
  if (run.samples_ns.empty()) return "no sample was taken";
  if (std::ranges::count(run.samples_ns, 0u) > 0)
    return "the device's clock is too coarse: a sample reads 0 ns";
  if (run.passed_case.empty()) return "no case of this kernel, shape and fill passed";
  const auto result = std::ranges::lower_bound(results, run.passed_case, {}, &CaseResult::name);
  if (result == results.end() || result->name != run.passed_case) {
    return fmt::format("its case {} was not run", run.passed_case);
  }
  if (result->verdict == Verdict::kPass) return {};
  return fmt::format("its case {} did not pass: {}", run.passed_case, name_of(result->verdict));
}

// With the casts of its operands an operator is compared with fp32 that needs none.
std::string_view without_casts(const std::string& operation) {
  return std::string_view(operation).substr(operation.starts_with(kAutocast) ? kAutocast.size()
                                                                             : 0);
}

bool are_partners(const ThroughputRow& fp16, const ThroughputRow& fp32) {
  return fp32.excluded.empty() && input_format(fp32.run) == "fp32" &&
         fp32.run.provider == fp16.run.provider &&
         fp32.run.operation == without_casts(fp16.run.operation) &&
         fp32.run.shape == fp16.run.shape && fp32.run.fill == fp16.run.fill;
}

void set_gain(ThroughputRow& row, const std::vector<ThroughputRow>& rows) {
  if (!row.excluded.empty() || input_format(row.run) != "fp16") return;
  const auto partner =
      std::ranges::find_if(rows, [&](const ThroughputRow& r) { return are_partners(row, r); });
  if (partner == rows.end()) return;
  const double ratio = partner->median_ns / row.median_ns;
  const GainBand& band = band_of(ratio);
  row.gain = Gain{.fp32_formats = partner->run.formats,
                  .ratio = ratio,
                  .band = std::string(band.name),
                  .sentence = std::string(band.sentence)};
}

double per_nanosecond(std::uint64_t amount, double elapsed_ns) {
  return elapsed_ns > 0 ? static_cast<double>(amount) / elapsed_ns : 0;
}

// What makes a time worthless, and what only makes it slow.
void find_fault(ThroughputRow& row) {
  row.fault = memoised(row.run, row.median_ns);  // says more of a rate that cannot be
  if (!row.fault) row.fault = implausible(row.run, row.median_ns);
  if (row.fault && row.excluded.empty()) row.excluded = row.fault->sentence;
  if (!row.fault && row.excluded.empty()) row.fault = throttling(row.run);
}

}  // namespace

double median_of(std::span<const std::uint64_t> samples_ns) {
  if (samples_ns.empty()) return 0;
  const auto ordered = sorted(samples_ns);
  const std::size_t middle = ordered.size() / 2;
  const auto upper = static_cast<double>(ordered[middle]);
  return ordered.size() % 2 ? upper : (static_cast<double>(ordered[middle - 1]) + upper) / 2;
}

std::optional<Interval> median_interval(std::span<const std::uint64_t> samples_ns) {
  const std::size_t rank = lower_rank(samples_ns.size());
  if (rank == 0) return std::nullopt;
  const auto ordered = sorted(samples_ns);
  return Interval{.low_ns = static_cast<double>(ordered[rank - 1]),
                  .high_ns = static_cast<double>(ordered[ordered.size() - rank])};
}

std::span<const GainBand> gain_bands() { return kBands; }

const GainBand& band_of(double ratio) {
  for (const GainBand& band : kBands) {
    if (ratio < band.below) return band;
  }
  return std::end(kBands)[-1];
}

std::vector<ThroughputRow> make_throughput(const std::vector<ThroughputRun>& runs,
                                           const std::vector<CaseResult>& sorted_results) {
  std::vector<ThroughputRow> rows;
  for (const ThroughputRun& run : runs) {
    rows.push_back({.run = run,
                    .median_ns = median_of(run.samples_ns),
                    .interval = median_interval(run.samples_ns),
                    .excluded = why_excluded(run, sorted_results)});
    find_fault(rows.back());
  }
  std::ranges::sort(rows, {}, [](const ThroughputRow& row) {
    return std::tie(row.run.operation, row.run.shape, row.run.fill, row.run.provider,
                    row.run.formats, row.run.name, row.run.samples_ns);
  });
  for (ThroughputRow& row : rows) set_gain(row, rows);
  find_cast_costs(rows);
  find_slow_paths(rows);
  return rows;
}

double of_declared(const ThroughputRow& row) {
  return row.run.declared_gflops > 0 ? gigaflops(row) / row.run.declared_gflops : 0;
}

double gigaflops(const ThroughputRow& row) { return per_nanosecond(row.run.flops, row.median_ns); }
double gigabytes_per_second(const ThroughputRow& row) {
  return per_nanosecond(row.run.bytes, row.median_ns);
}

}  // namespace halfmark::reports
