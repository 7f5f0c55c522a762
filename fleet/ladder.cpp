// SPDX-License-Identifier: Apache-2.0
#include "fleet/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfmark::fleet {
namespace {

constexpr const char* kNotDone = "not done";

// Whether both have the same cases of the suite that decided, so that their bits were compared.
// Where no suite decided, all count.
bool are_compared(const KeptAnswer& answer, const KeptAnswer& other, std::uint32_t suite) {
  if (other.is_doubtful || other.question != answer.question || other.peers != answer.peers)
    return false;
  const bool has_suite = std::ranges::count(answer.suites, suite, &KeptSuite::suite) > 0;
  return std::ranges::all_of(answer.suites, [&](const KeptSuite& one) {
    const bool is_asked = std::ranges::any_of(other.suites, [&](const KeptSuite& its) {
      return its.suite == one.suite && its.asked == one.asked;
    });
    return is_asked || (has_suite && one.suite != suite);
  });
}

std::string same_seed(const KeptDevice& device, const Judged& judged) {
  const auto same = std::ranges::count_if(device.answers, [&](const KeptAnswer& other) {
    return are_compared(*judged.answer, other, judged.suite);
  });
  if (same < 2) return kNotDone;
  return fmt::format(
      "{} answers, {}", same,
      judged.verdict == DeviceVerdict::kIntermittent ? "not all alike" : "all alike");
}

std::string new_seed(const KeptDevice& device, const KeptAnswer& answer) {
  int others = 0, wrong = 0;
  for (const KeptAnswer& other : device.answers) {
    if (other.seed == answer.seed || other.completeness == Completeness::kError) continue;
    if (other.is_doubtful) continue;
    ++others;
    if (other.breaks_a_promise) ++wrong;
  }
  return others == 0 ? kNotDone : fmt::format("wrong with {} of {} other seeds", wrong, others);
}

std::string other_kernel(const KeptAnswer& answer) {
  const auto right = std::ranges::count(answer.suites, 0U, &KeptSuite::missed);
  return fmt::format("{} of {} suites are right", right, answer.suites.size());
}

std::string outcome(const Siblings::Tally& tally) {
  if (tally.devices == 0) return "there is none";
  return fmt::format("{} of {} are right", tally.right, tally.devices);
}

// The case with its next seed: names end in ".s1".
std::string with_new_seed(const std::string& case_name, std::uint64_t seed) {
  const std::string end = fmt::format(".s{}", seed);
  if (!case_name.ends_with(end)) return case_name;
  return fmt::format("{}.s{}", case_name.substr(0, case_name.size() - end.size()), seed + 1);
}

// Only a step of the device itself can be left to do: how its siblings answered is known.
std::string command_for(const std::string& step, const KeptAnswer& answer, const DeviceRow& row) {
  const auto is_case = [](const std::string& name) {
    return !name.starts_with("canary.") && name != kLosses;
  };
  const auto found = std::ranges::find_if(row.cases, is_case);
  if (found == row.cases.end())
    return fmt::format("on {}: halfmark run --device {} --level smoke --seed {}", row.node,
                       row.selector, step == "new seed" ? answer.seed + 1 : answer.seed);
  return fmt::format("on {}: halfmark replay {} --device {}", row.node,
                     step == "new seed" ? with_new_seed(*found, answer.seed) : *found,
                     row.selector);
}

}  // namespace

void Siblings::add(const KeptDevice& device, DeviceVerdict verdict) {
  const std::uint32_t peers = device.answers.front().peers;
  for (Tally* tally : {&by_peers_[peers], &by_node_[{device.node, peers}]}) {
    ++tally->devices;
    if (verdict == DeviceVerdict::kConformant) ++tally->right;
  }
}

Siblings::Tally Siblings::on_node(const KeptDevice& device, std::uint32_t peers) const {
  const auto found = by_node_.find({device.node, peers});
  if (found == by_node_.end()) return {};
  Tally others = found->second;
  --others.devices;  // the device itself, which is not right
  return others;
}

Siblings::Tally Siblings::on_other_nodes(const KeptDevice& device, std::uint32_t peers) const {
  const auto all = by_peers_.find(peers);
  if (all == by_peers_.end()) return {};
  const auto here = by_node_.find({device.node, peers});
  Tally others = all->second;
  if (here != by_node_.end()) {
    others.devices -= here->second.devices;
    others.right -= here->second.right;
  }
  return others;
}

void climb(const KeptDevice& device, const Judged& judged, const Siblings& siblings,
           DeviceRow& row) {
  const KeptAnswer& answer = *judged.answer;
  const std::uint32_t peers = device.answers.front().peers;
  row.ladder = {{"same seed", same_seed(device, judged)},
                {"new seed", new_seed(device, answer)},
                {"other kernel", other_kernel(answer)},
                {"sibling device", outcome(siblings.on_node(device, peers))},
                {"other node", outcome(siblings.on_other_nodes(device, peers))}};
  const auto step = std::ranges::find(row.ladder, kNotDone, &LadderStep::outcome);
  if (step != row.ladder.end()) row.next = command_for(step->step, answer, row);
}

}  // namespace halfmark::fleet
