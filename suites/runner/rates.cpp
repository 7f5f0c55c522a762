// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/rates.hpp"

#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

std::string kind_of(const Case& c) {
  const throughput::Labels labels = throughput::labels_of(c);
  return c.suite + " " + labels.provider + " " + labels.formats;
}

}  // namespace

void Rates::learn(const Case& c, const CaseResult& result) {
  constexpr double kRuns = 2;  // of execute()
  const double seconds =
      by_the_host_ ? result.execute_seconds / kRuns : static_cast<double>(result.device_ns) * 1e-9;
  if (result.verdict != Verdict::kPass || seconds <= 0) return;
  const std::uint64_t work = throughput::elements_of_work(c);
  Seen& seen = largest_[kind_of(c)];
  // Among equal sizes the fastest: the first launch of a program includes one-time costs.
  if (work < seen.work || (work == seen.work && seconds >= seen.seconds)) return;
  seen = {.work = work, .seconds = seconds, .name = result.name};
}

std::optional<Rates::Foresight> Rates::foresee(const Case& c) const {
  const std::uint64_t work = throughput::elements_of_work(c);
  const auto seen = largest_.find(kind_of(c));
  if (work < kLarge || seen == largest_.end() || seen->second.work == 0) return std::nullopt;
  const double times = static_cast<double>(work) / static_cast<double>(seen->second.work);
  return Foresight{.seconds = kLaunches * times * seen->second.seconds, .like = seen->second.name};
}

}  // namespace halfmark::suites
