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
    {1.0, "below 1.0", "fp16 is slower than fp32"},
    {1.2, "1.0 to 1.2", "no real gain"},
    {1.5, "1.2 to 1.5", "less than fp16 units are expected to give"},
    {2.0, "1.5 to 2", "a gain typical of fp16 units, which does not prove a kind by itself"},
    {std::numeric_limits<double>::infinity(), "2 and above",
     "two operations for one, which does not prove a kind by itself"},
};

// Two times of one row that differ by more than this factor were taken at different clocks.
constexpr double kSameClocks = 1.1;

std::vector<std::uint64_t> sorted(std::span<const std::uint64_t> samples) {
  std::vector<std::uint64_t> copy(samples.begin(), samples.end());
  std::ranges::sort(copy);
  return copy;
}

// The largest rank k with P(Binomial(n, 1/2) < k) <= 2.5 %; 0 when not even the extremes reach
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

// A case name without its seed, and without the prefix for casts that are timed with it.
std::string_view seedless(std::string_view name) {
  if (name.starts_with("autocast.")) name.remove_prefix(std::string_view("autocast.").size());
  const std::size_t dot = name.rfind(".s");
  if (dot == std::string_view::npos || dot + 2 == name.size()) return name;
  const std::string_view seed = name.substr(dot + 2);
  return seed.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, dot)
                                                                        : name;
}

// A row that was timed at another size than its case must have been verified at that size.
std::string why_not_verified(const ThroughputRun& run) {
  if (seedless(run.name) == seedless(run.passed_case)) return {};
  const auto found = std::ranges::find_if(
      run.verified, [&](const VerifiedCase& v) { return seedless(v.name) == seedless(run.name); });
  if (found == run.verified.end()) return "it was not verified at the size that was timed";
  if (found->verdict == name_of(Verdict::kPass)) return {};
  return fmt::format("it did not pass at the size that was timed: {}", found->verdict);
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
  if (result->verdict == Verdict::kPass) return why_not_verified(run);
  return fmt::format("its case {} did not pass: {}", run.passed_case, name_of(result->verdict));
}

// An operator with casts of its operands is compared with the fp32 operator, which needs none.
std::string_view without_casts(const std::string& operation) {
  return std::string_view(operation).substr(operation.starts_with(kAutocast) ? kAutocast.size()
                                                                             : 0);
}

bool are_partners(const ThroughputRow& fp16, const ThroughputRow& fp32) {
  return fp32.excluded.empty() && !is_again(fp32.run) && input_format(fp32.run) == "fp32" &&
         fp32.run.provider == fp16.run.provider &&
         fp32.run.operation == without_casts(fp16.run.operation) &&
         fp32.run.shape == fp16.run.shape && fp32.run.fill == fp16.run.fill;
}

// Packed formats need other widths, so chains are only compared at the best width of each format.
// Streams compute nothing: words of half the size move as many bytes.
const ThroughputRow* partner_of(const ThroughputRow& row, const std::vector<ThroughputRow>& rows) {
  if (!row.excluded.empty() || is_again(row.run) || input_format(row.run) != "fp16" ||
      row.run.operation.starts_with("stream."))
    return nullptr;
  if (const std::string_view link = link_of(row.run); !link.empty())
    return best_chain(rows, link, "fp16") == &row ? best_chain(rows, link, "fp32") : nullptr;
  const auto partner =
      std::ranges::find_if(rows, [&](const ThroughputRow& r) { return are_partners(row, r); });
  return partner == rows.end() ? nullptr : &*partner;
}

// The median over all pairs of the own rate over the other's.
double duel_ratio(const Duel& duel, double own_flops) {
  std::vector<double> ratios;
  for (const Duel::Pair& pair : duel.pairs)
    ratios.push_back(own_flops * static_cast<double>(pair.against_ns) /
                     (static_cast<double>(duel.against_flops) * static_cast<double>(pair.own_ns)));
  std::ranges::nth_element(ratios, ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2));
  return ratios[ratios.size() / 2];
}

// A clock too coarse for a launch reads 0 ns, and gives no ratio.
bool has_times(const Duel& duel) {
  return !duel.pairs.empty() && std::ranges::all_of(duel.pairs, [](const Duel::Pair& pair) {
    return pair.against_ns > 0 && pair.own_ns > 0;
  });
}

// The duel of the row with its partner; null: there was none that counts.
const Duel* duel_with(const ThroughputRow& row, const ThroughputRow& partner) {
  for (const std::optional<Duel>* duel : {&row.run.beside, &row.run.duel}) {
    if (*duel && has_times(**duel) && (*duel)->against_flops > 0 && row.run.flops > 0 &&
        (*duel)->against == partner.run.name)
      return &**duel;
  }
  return nullptr;
}

// Whether the intervals do not overlap as rates; `more` is the ratio of the work.
bool are_apart(const ThroughputRow& a, const ThroughputRow& b, double more) {
  if (!a.interval || !b.interval) return false;
  return a.interval->low_ns > b.interval->high_ns * more ||
         a.interval->high_ns < b.interval->low_ns * more;
}

// Times taken alternately share the same clocks, even if clocks moved between the rows.
void set_gain(ThroughputRow& row, const std::vector<ThroughputRow>& rows, bool same_clocks) {
  const ThroughputRow* partner = partner_of(row, rows);
  if (partner == nullptr || row.median_ns <= 0) return;
  const Duel* in_turn = same_clocks ? nullptr : duel_with(row, *partner);
  if (!same_clocks && in_turn == nullptr) return;
  const auto own = static_cast<double>(row.run.flops),
             other = static_cast<double>(partner->run.flops);
  const double more = own > 0 && other > 0 ? own / other : 1;
  const double ratio =
      in_turn ? duel_ratio(*in_turn, own) : more * partner->median_ns / row.median_ns;
  const GainBand& band = band_of(ratio);
  row.gain = Gain{.fp32_formats = partner->run.formats,
                  .ratio = ratio,
                  .fp32_gflops = gigaflops(*partner),
                  .apart = in_turn == nullptr && are_apart(row, *partner, more),
                  .band = std::string(band.name),
                  .sentence = std::string(band.sentence)};
}

double per_nanosecond(std::uint64_t amount, double elapsed_ns) {
  return elapsed_ns > 0 ? static_cast<double>(amount) / elapsed_ns : 0;
}

// Faults that make a time invalid exclude the row; throttling only marks it.
void find_fault(ThroughputRow& row) {
  row.fault = memoised(row.run, row.median_ns);  // says more than an impossible rate does
  if (!row.fault) row.fault = folded(row.run, row.median_ns);
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
  const bool same_clocks = clocks_moved(rows).empty();
  for (ThroughputRow& row : rows) set_gain(row, rows, same_clocks);
  find_cast_costs(rows);
  find_slow_paths(rows);
  return rows;
}

std::string_view link_of(const ThroughputRun& run) {
  constexpr std::string_view kChain = "chain.";
  const std::string_view operation = run.operation;
  return operation.starts_with(kChain) ? operation.substr(kChain.size()) : std::string_view();
}

std::string_view input_format(const ThroughputRun& run) {
  return std::string_view(run.formats).substr(0, run.formats.find_first_of(". ,/"));
}

bool is_again(const ThroughputRun& run) {
  const auto again = run.conditions.find("again");
  return again != run.conditions.end() && *again == true;
}

std::string kernel_text(const ThroughputRow& row) {
  const ThroughputRun& run = row.run;
  return fmt::format("{} {} {} {} {}{}", run.operation, run.formats, run.provider, run.shape,
                     run.fill, is_again(run) ? " (timed again)" : "");
}

Retimed most_changed(const std::vector<ThroughputRow>& rows) {
  Retimed most;
  for (const ThroughputRow& later : rows) {
    if (!later.excluded.empty() || !is_again(later.run) || later.median_ns <= 0) continue;
    for (const ThroughputRow& first : rows) {
      if (!first.excluded.empty() || is_again(first.run) || first.run.name != later.run.name)
        continue;
      const Retimed seen{.row = first.run.name, .ratio = later.median_ns / first.median_ns};
      if (most.row.empty() || seen.change() > most.change()) most = seen;
    }
  }
  return most;
}

std::string clocks_moved(const std::vector<ThroughputRow>& rows) {
  const Retimed most = most_changed(rows);
  if (most.change() <= kSameClocks) return {};
  return fmt::format("clocks changed during the run: at its end {} takes {:.3g} x as long",
                     most.row, most.ratio);
}

const ThroughputRow* best_chain(const std::vector<ThroughputRow>& rows, std::string_view link,
                                std::string_view format) {
  const ThroughputRow* best = nullptr;
  for (const ThroughputRow& row : rows) {
    if (!row.excluded.empty() || is_again(row.run) || link_of(row.run) != link ||
        input_format(row.run) != format)
      continue;
    if (best == nullptr || gigaflops(row) > gigaflops(*best)) best = &row;
  }
  return best;
}

double of_declared(const ThroughputRow& row) {
  return row.run.declared_gflops > 0 ? gigaflops(row) / row.run.declared_gflops : 0;
}

double gigaflops(const ThroughputRow& row) { return per_nanosecond(row.run.flops, row.median_ns); }
double gigabytes_per_second(const ThroughputRow& row) {
  return per_nanosecond(row.run.bytes, row.median_ns);
}

}  // namespace halfmark::reports
