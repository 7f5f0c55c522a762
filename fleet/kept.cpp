// SPDX-License-Identifier: Apache-2.0
#include "fleet/kept.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/digest64.hpp"

namespace halfmark::fleet {
namespace {

std::string peers_of(const DeviceIdentity& device) {
  return fmt::format("{} {} ({}{}driver {})", device.backend, device.name, device.platform,
                     device.platform.empty() ? "" : ", ",
                     device.driver.empty() ? "unknown" : device.driver);
}

std::string question_of(const Question& q) {
  std::string text = fmt::format("level {}, seed {}", q.level, q.seed);
  if (!q.shard.empty()) text += fmt::format(", shard {}", q.shard);
  if (!q.suites.empty()) text += fmt::format(", suites {}", fmt::join(q.suites, " "));
  if (!q.filters.empty()) text += fmt::format(", filters {}", fmt::join(q.filters, " "));
  if (!q.golden.empty()) text += fmt::format(", golden store {}", q.golden.substr(0, 12));
  return text + fmt::format(", version {}, contract {}", q.version, q.contract_revision);
}

std::uint64_t place_key(std::uint32_t node, std::uint32_t selector) {
  return (std::uint64_t{node} << 32U) | selector;
}

KeptAnswer kept_answer(const Rollup& rollup, Words& words) {
  KeptAnswer answer{.run = words.id(rollup.origin.run),
                    .task = words.id(rollup.origin.task),
                    .peers = words.id(peers_of(rollup.device)),
                    .question = words.id(question_of(rollup.question)),
                    .seed = rollup.question.seed,
                    .completeness = rollup.completeness,
                    .reason = words.id(rollup.reason),
                    .card = rollup.card.substr(0, 12),
                    .store = words.id(rollup.question.golden.substr(0, 12)),
                    .matched = rollup.golden.matched,
                    .confirmed = rollup.golden.confirmed,
                    .refuted = rollup.golden.refuted,
                    .self_test = rollup.self_test,
                    .breaks_a_promise = breaks_a_promise(rollup),
                    .is_doubtful = is_doubtful(rollup),
                    .total_misses = rollup.total_misses,
                    .trials = trials(rollup),
                    .suites = {},
                    .misses = {},
                    .rates = {}};
  answer.suites.reserve(rollup.answers.size());
  for (const SuiteAnswers& one : rollup.answers)
    answer.suites.push_back({words.id(one.suite), one.missed, one.asked, one.bits});
  for (const Miss& miss : rollup.misses)
    answer.misses.push_back({words.id(miss.case_name), words.id(miss.finding_class),
                             digest64(std::string_view(miss.result)), miss.kind});
  for (const Rate& rate : rollup.rates)
    answer.rates.push_back({words.id(rate.name), rate.per_second, rate.clock_mhz});
  return answer;
}

}  // namespace

std::uint64_t identity_of(const Rollup& rollup) {
  return digest64(std::string_view(print(rollup)));
}

void Kept::add(const Rollup& rollup, std::uint64_t content) {
  if (!seen.insert(content).second) {
    ++repeated;
    return;
  }
  ++rollups;
  if (const std::string& started = rollup.started; !started.empty()) {
    if (first_started.empty() || started < first_started) first_started = started;
    last_started = std::max(last_started, started);
  }
  const std::uint32_t node = words.id(rollup.origin.node);
  const std::uint32_t selector = words.id(rollup.device.selector);
  const auto [place, is_new] = place_of.emplace(place_key(node, selector), devices.size());
  if (is_new) devices.push_back({.node = node, .selector = selector, .answers = {}});
  devices[place->second].answers.push_back(kept_answer(rollup, words));
}

const KeptDevice* Kept::find(std::string_view node, std::string_view selector) {
  const auto place = place_of.find(place_key(words.id(node), words.id(selector)));
  return place == place_of.end() ? nullptr : &devices[place->second];
}

}  // namespace halfmark::fleet
