// SPDX-License-Identifier: Apache-2.0
#include "reports/roofs.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <string_view>

#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;

constexpr std::string_view kLinks[] = {"add", "mul", "fma", "muladd", "convert"};
constexpr std::string_view kFormats[] = {"fp32", "fp16", "bf16"};
constexpr std::string_view kStreams[] = {"copy", "triad"};

// Whether two flops are one operation of a unit: fused multiply-adds, which also make up products.
bool is_fused(const ThroughputRun& run) {
  const std::string_view link = link_of(run);
  return link.empty() ? run.operation.starts_with("gemm") || run.operation == "fma" : link == "fma";
}

bool is_product(const ThroughputRun& run) { return run.operation.starts_with("gemm"); }

double steps_of(const ThroughputRun& run, double flops) {
  return is_fused(run) ? flops / 2 : flops;
}

// The number in a width, so that "w16" sorts after "w2".
int number_of(std::string_view width) {
  int number = 0;
  if (width.size() > 1) std::from_chars(width.data() + 1, width.data() + width.size(), number);
  return number;
}

WidthRate width_rate(const ThroughputRow& row) {
  WidthRate rate{.width = row.run.shape, .gflops = gigaflops(row), .of_declared = of_declared(row)};
  if (!row.interval) return rate;
  const auto flops = static_cast<double>(row.run.flops);
  rate.low = flops / std::max(row.interval->high_ns, 1.0);
  rate.high = flops / std::max(row.interval->low_ns, 1.0);
  return rate;
}

void add_chain(const std::vector<ThroughputRow>& rows, std::string_view link,
               std::string_view format, Roofs& roofs) {
  const ThroughputRow* best = best_chain(rows, link, format);
  if (best == nullptr) return;
  Roof roof{.operation = std::string(link),
            .formats = std::string(format),
            .best = width_rate(*best),
            .widths = {}};
  for (const ThroughputRow& row : rows) {
    if (row.excluded.empty() && !is_again(row.run) && link_of(row.run) == link &&
        input_format(row.run) == format)
      roof.widths.push_back(width_rate(row));
  }
  std::ranges::sort(roof.widths, {}, [](const WidthRate& rate) { return number_of(rate.width); });
  roofs.operations.push_back(std::move(roof));
}

void add_memory(const std::vector<ThroughputRow>& rows, std::string_view stream,
                std::string_view format, Roofs& roofs) {
  const ThroughputRow* best = nullptr;
  for (const ThroughputRow& row : rows) {
    const std::string_view operation = row.run.operation;
    if (!row.excluded.empty() || !operation.starts_with("stream.") ||
        operation.substr(operation.find('.') + 1) != stream || input_format(row.run) != format)
      continue;
    if (best == nullptr || gigabytes_per_second(row) > gigabytes_per_second(*best)) best = &row;
  }
  if (best == nullptr) return;
  MemoryRoof roof{.operation = std::string(stream),
                  .word_bytes = format == "fp32" ? 4u : 2u,
                  .gbytes_per_s = gigabytes_per_second(*best)};
  if (best->interval) {
    const auto bytes = static_cast<double>(best->run.bytes);
    roof.low = bytes / std::max(best->interval->high_ns, 1.0);
    roof.high = bytes / std::max(best->interval->low_ns, 1.0);
  }
  roofs.memory.push_back(std::move(roof));
}

void raise(BestRate& best, double gflops, const std::string& row) {
  if (gflops > best.gflops) best = {.gflops = gflops, .row = row};
}

// Raises the roofs by the rate of the row's fastest sample.
void raise_by(const ThroughputRow& row, Roofs& roofs) {
  const std::string_view format = input_format(row.run);
  if (row.run.flops == 0 || row.run.samples_ns.empty()) return;
  const double gflops = static_cast<double>(row.run.flops) /
                        static_cast<double>(std::ranges::min(row.run.samples_ns));
  if (format == "tf32" && is_product(row.run)) raise(roofs.wide_product_best, gflops, row.run.name);
  if (format != "fp32") return;
  raise(roofs.fp32_best, gflops, row.run.name);
  raise(roofs.wide_product_best, gflops, row.run.name);
  raise(roofs.fp32_step_best, steps_of(row.run, gflops), row.run.name);
}

// Uses the ranks of the interval, so that a single disturbed sample does not count.
double unrest_of(std::span<const std::uint64_t> samples_ns) {
  const std::optional<Interval> interval = median_interval(samples_ns);
  return interval && interval->low_ns > 0 ? interval->high_ns / interval->low_ns : 1;
}

double unrest_of(const ThroughputRow& row) {
  double unrest = 1;
  if (!link_of(row.run).empty() && input_format(row.run) == "fp32")
    unrest = unrest_of(row.run.samples_ns);
  if (!row.run.duel) return unrest;
  std::vector<std::uint64_t> others;
  for (const Duel::Pair& pair : row.run.duel->pairs) others.push_back(pair.against_ns);
  return std::max(unrest, unrest_of(others));
}

// The other side of a duel is a kernel on fp32 data that was timed once more.
void raise_by_duel(const ThroughputRow& row, const std::vector<ThroughputRow>& rows, Roofs& roofs) {
  if (!row.run.duel || row.run.duel->pairs.empty()) return;
  const Duel& duel = *row.run.duel;
  const auto least = std::ranges::min(duel.pairs, {}, &Duel::Pair::against_ns).against_ns;
  if (least == 0) return;
  const double gflops = static_cast<double>(duel.against_flops) / static_cast<double>(least);
  raise(roofs.fp32_best, gflops, duel.against);
  raise(roofs.wide_product_best, gflops, duel.against);
  const auto against = std::ranges::find_if(
      rows, [&](const ThroughputRow& other) { return other.run.name == duel.against; });
  // In an unknown kernel, each flop may have been a step.
  raise(roofs.fp32_step_best, against == rows.end() ? gflops : steps_of(against->run, gflops),
        duel.against);
}

// Without chains the speed of the units is unknown, and any other kernel may be slow.
bool has_fp32_chain(const Roofs& roofs) {
  return std::ranges::any_of(roofs.operations, [](const Roof& roof) {
    return roof.formats == "fp32" && (roof.operation == "fma" || roof.operation == "muladd");
  });
}

// Whether a product in tf32 counts, or the device declined every one.
bool knows_tf32(const std::vector<ThroughputRow>& rows, const std::vector<CaseResult>& results) {
  const auto counts = [](const ThroughputRow& row) {
    return row.excluded.empty() && is_product(row.run) && input_format(row.run) == "tf32";
  };
  if (std::ranges::any_of(rows, counts)) return true;
  const auto is_product_in_tf32 = [](const CaseResult& result) {
    return result.name.starts_with("gemm.tf32.");
  };
  return std::ranges::any_of(results, is_product_in_tf32) &&
         std::ranges::all_of(results, [&](const CaseResult& result) {
           return !is_product_in_tf32(result) || result.verdict == suites::Verdict::kNotSupported;
         });
}

}  // namespace

Roofs find_roofs(const std::vector<ThroughputRow>& rows, const std::vector<CaseResult>& results) {
  Roofs roofs;
  for (const std::string_view link : kLinks)
    for (const std::string_view format : kFormats) add_chain(rows, link, format, roofs);
  for (const std::string_view stream : kStreams)
    for (const std::string_view format : kFormats) add_memory(rows, stream, format, roofs);
  for (const ThroughputRow& row : rows) {
    if (!row.excluded.empty()) continue;
    raise_by(row, roofs);
    raise_by_duel(row, rows, roofs);
    roofs.unrest = std::max(roofs.unrest, unrest_of(row));
  }
  if (!knows_tf32(rows, results)) roofs.wide_product_best = {};
  roofs.unrest = std::max(roofs.unrest, most_changed(rows).change());
  roofs.clocks = clocks_moved(rows);
  return roofs;
}

BestRate wide_roof(const Roofs& roofs, const ThroughputRun& run) {
  if (!has_fp32_chain(roofs)) return {};
  const BestRate& products = roofs.wide_product_best;
  if (is_product(run) && products.gflops <= 0) return {};
  BestRate best = roofs.fp32_step_best;
  if (is_fused(run)) best.gflops *= 2;
  return is_product(run) && products.gflops >= best.gflops ? products : best;
}

std::string_view why_no_wide_roof(const Roofs& roofs, const ThroughputRun& run) {
  if (!has_fp32_chain(roofs)) return "no chain of fp32 operations was timed to compare with";
  if (is_product(run) && roofs.wide_product_best.gflops <= 0)
    return "no product in tf32 was timed, which may be as fast, and the device did not decline it";
  return "";
}

double as_row_counts(const ThroughputRun* wide, double flops, const ThroughputRun& row) {
  if (is_product(row)) return flops;
  const double steps = wide == nullptr ? flops : steps_of(*wide, flops);
  return is_fused(row) ? 2 * steps : steps;
}

bool is_bound_by_memory(const Roofs& roofs, const ThroughputRun& run) {
  double bandwidth = 0;
  for (const MemoryRoof& memory : roofs.memory)
    bandwidth = std::max(bandwidth, memory.gbytes_per_s);
  const double wide = wide_roof(roofs, run).gflops;
  if (bandwidth <= 0 || wide <= 0) return false;
  return static_cast<double>(run.bytes) / bandwidth > static_cast<double>(run.flops) / wide;
}

}  // namespace halfmark::reports
