// SPDX-License-Identifier: Apache-2.0
#include "fleet/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "fleet/statistics.hpp"

namespace halfmark::fleet {
namespace {

struct Sample {
  const KeptDevice* device;
  double log_rate, log_clock;  // log_clock is NaN where there is no reading
};

struct Series {
  std::uint32_t rate = 0;
  std::vector<Sample> samples;
};

using Groups = std::map<std::uint32_t, std::map<std::uint32_t, Series>>;  // by peers, by rate

// One sample for each device: the median of its answers, so that a repeated run weighs no more.
void collect(const KeptDevice& device, Groups& groups) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<KeptRate>> by_rate;
  for (const KeptAnswer& answer : device.answers) {
    for (const KeptRate& rate : answer.rates) {
      if (rate.per_second > 0) by_rate[{answer.peers, rate.name}].push_back(rate);
    }
  }
  for (auto& [key, rates] : by_rate) {
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle, {}, &KeptRate::per_second);
    Series& series = groups[key.first][key.second];
    series.rate = key.second;
    series.samples.push_back({&device, std::log(middle->per_second),
                              middle->clock_mhz > 0 ? std::log(middle->clock_mhz) : NAN});
  }
}

bool all_have_clocks(const Series& series) {
  return std::ranges::none_of(series.samples,
                              [](const Sample& sample) { return std::isnan(sample.log_clock); });
}

struct Judgement {
  double centre = 0, spread = 0, cut = 0;
  [[nodiscard]] double below(double value) const { return (centre - value) / spread; }
  [[nodiscard]] bool flags(double value) const {
    return below(value) > cut && centre - value > -std::log1p(-kLeastLoss);
  }
};

Judgement judgement_of(const Series& series, bool per_cycle, std::uint64_t comparisons) {
  std::vector<double> values;
  for (const Sample& sample : series.samples)
    values.push_back(sample.log_rate - (per_cycle ? sample.log_clock : 0));
  const double centre = median(values);
  return {.centre = centre,
          .spread = std::max(robust_spread(values, centre), kLeastSpread),
          .cut = outlier_cut(values.size(), comparisons)};
}

void judge_series(const Series& series, std::uint64_t comparisons, const Words& words,
                  std::vector<Outlier>& outliers) {
  const bool has_clock = all_have_clocks(series);
  const Judgement raw = judgement_of(series, false, comparisons);
  const Judgement cycles = has_clock ? judgement_of(series, true, comparisons) : Judgement{};
  for (const Sample& sample : series.samples) {
    const double per_cycle = sample.log_rate - sample.log_clock;
    const bool slow = raw.flags(sample.log_rate);
    const bool slow_per_cycle = has_clock && cycles.flags(per_cycle);
    if (!slow && !slow_per_cycle) continue;
    const Judgement& by = slow ? raw : cycles;
    const double value = slow ? sample.log_rate : per_cycle;
    outliers.push_back({.node = words.text(sample.device->node),
                        .selector = words.text(sample.device->selector),
                        .rate = words.text(series.rate),
                        .value = std::exp(value),
                        .median = std::exp(by.centre),
                        .spreads_below = by.below(value),
                        .cut = by.cut,
                        .per_cycle = slow_per_cycle,
                        .has_clock = has_clock});
  }
}

std::uint64_t comparisons_in(const Groups& groups) {
  std::uint64_t comparisons = 0;
  for (const auto& [peers, rates] : groups) {
    for (const auto& [rate, series] : rates) {
      if (series.samples.size() < kLeastPeers) continue;
      comparisons += series.samples.size() * (all_have_clocks(series) ? 2 : 1);
    }
  }
  return comparisons;
}

std::map<std::uint32_t, std::uint64_t> group_sizes(const Kept& kept) {
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const KeptDevice& device : kept.devices) {
    std::set<std::uint32_t> groups;  // it counts once in each, in whatever order its answers lie
    for (const KeptAnswer& answer : device.answers) {
      if (answer.completeness != Completeness::kError) groups.insert(answer.peers);
    }
    for (const std::uint32_t peers : groups) ++sizes[peers];
  }
  return sizes;
}

}  // namespace

void find_outliers(const Kept& kept, FleetReport& report) {
  Groups groups;
  for (const KeptDevice& device : kept.devices) collect(device, groups);
  report.rate_comparisons = comparisons_in(groups);
  for (const auto& [peers, size] : group_sizes(kept)) {
    PeerGroup group{.name = kept.words.text(peers), .devices = size};
    for (const auto& [rate, series] : groups[peers]) {
      if (series.samples.size() < kLeastPeers) continue;
      group.judged_rates = true;
      judge_series(series, report.rate_comparisons, kept.words, report.outliers);
    }
    report.groups.push_back(std::move(group));
  }
  std::ranges::sort(report.groups, {}, &PeerGroup::name);
  std::ranges::sort(report.outliers, [](const Outlier& a, const Outlier& b) {
    return std::tie(a.node, a.selector, a.rate) < std::tie(b.node, b.selector, b.rate);
  });
}

}  // namespace halfmark::fleet
