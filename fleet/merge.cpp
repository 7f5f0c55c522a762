// SPDX-License-Identifier: Apache-2.0
#include "fleet/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "fleet/attendance.hpp"
#include "fleet/judge.hpp"
#include "fleet/kept.hpp"
#include "fleet/ladder.hpp"
#include "fleet/outliers.hpp"
#include "reports/exit_codes.hpp"
#include "reports/plain_plural.hpp"

namespace halfmark::fleet {

struct Merge::State {
  std::mutex mutex;
  Kept kept;
  std::vector<std::string> notes;
};

namespace {

constexpr std::size_t kMostCases = 3;

// Of a node, of all devices with one driver, of one suite: how many answered, how many deviate.
struct Share {
  std::uint64_t devices = 0, deviating = 0;
};

class Scopes {
 public:
  void add(const KeptDevice& device, const Judged& judged) {
    Share& node = nodes_[device.node];
    ++node.devices;
    if (is_suspect(judged.verdict)) ++node.deviating;
    if (judged.answer == nullptr) return;
    ++peers_[judged.answer->peers];
    if (judged.verdict == DeviceVerdict::kDeterministicDeviation)
      wrong_in_[judged.suite].insert(judged.answer->peers);
    for (const KeptSuite& suite : judged.answer->suites)
      asked_in_[suite.suite].insert(judged.answer->peers);
  }

  [[nodiscard]] Scope of(const KeptDevice& device, const Judged& judged) const {
    if (is_suspect(judged.verdict)) {
      const Share& node = nodes_.at(device.node);
      const bool whole = node.devices > 1 && node.deviating == node.devices;
      return whole ? Scope::kNode : Scope::kDevice;
    }
    if (judged.verdict == DeviceVerdict::kError)
      return judged.of_store ? Scope::kSuite : Scope::kDevice;
    if (judged.verdict != DeviceVerdict::kDeterministicDeviation) return Scope::kNone;
    const std::size_t kinds = asked_in_.at(judged.suite).size();
    if (kinds > 1 && wrong_in_.at(judged.suite).size() == kinds) return Scope::kSuite;
    // A device without a peer may be broken as well as its driver.
    return peers_.at(judged.answer->peers) > 1 ? Scope::kDriver : Scope::kNone;
  }

 private:
  std::map<std::uint32_t, Share> nodes_;
  std::map<std::uint32_t, std::uint64_t> peers_;
  std::map<std::uint32_t, std::set<std::uint32_t>> asked_in_, wrong_in_;  // suite -> kinds
};

DeviceRow row_of(const KeptDevice& device, const Judged& judged, const Words& words) {
  DeviceRow row{.node = words.text(device.node),
                .selector = words.text(device.selector),
                .devices = 1,
                .verdict = judged.verdict,
                .scope = Scope::kNone,
                .violates = judged.violates,
                .evidence = judged.evidence,
                .cases = {},
                .card = judged.answer->card,
                .ladder = {},
                .next = {}};
  for (const KeptMiss& miss : judged.answer->misses) {
    if (row.cases.size() < kMostCases) row.cases.push_back(words.text(miss.case_name));
  }
  return row;
}

void count_rows(FleetReport& report) {
  for (const DeviceRow& row : report.rows) {
    report.counts[static_cast<std::size_t>(row.verdict)] += row.devices;
    report.devices += row.devices;
  }
}

void judge_devices(const Kept& kept, FleetReport& report) {
  const Polls polls(kept.devices);
  std::vector<std::pair<const KeptDevice*, Judged>> deviating;
  Scopes scopes;
  Siblings siblings;
  for (const KeptDevice& device : kept.devices) {
    Judged judged = judge(device, polls, kept.words);
    scopes.add(device, judged);
    siblings.add(device, judged.verdict);
    if (judged.verdict == DeviceVerdict::kConformant) {
      ++report.counts[static_cast<std::size_t>(judged.verdict)];
      ++report.devices;
      for (const KeptAnswer& answer : device.answers) report.clean_trials += answer.trials;
    } else {
      deviating.emplace_back(&device, std::move(judged));
    }
  }
  for (const auto& [device, judged] : deviating) {
    DeviceRow row = row_of(*device, judged, kept.words);
    row.scope = scopes.of(*device, judged);
    if (is_found_wrong(judged.verdict)) climb(*device, judged, siblings, row);
    report.rows.push_back(std::move(row));
  }
}

void count_questions(const Kept& kept, FleetReport& report) {
  std::set<std::uint32_t> questions;
  for (const KeptDevice& device : kept.devices) {
    for (const KeptAnswer& answer : device.answers) {
      if (answer.completeness != Completeness::kError) questions.insert(answer.question);
    }
  }
  report.questions = questions.size();
  if (questions.size() > 1)
    report.notes.push_back(fmt::format(
        "there are answers to {} questions, and only answers to the "
        "same one are compared: {}; {}{}",
        questions.size(), kept.words.text(*questions.begin()),
        kept.words.text(*std::next(questions.begin())), questions.size() > 2 ? "; ..." : ""));
}

// A store that one device shows to be in error proves nothing about the others, either.
void count_stores(const Kept& kept, FleetReport& report) {
  std::map<std::uint32_t, StoreRow> stores;
  for (const KeptDevice& device : kept.devices) {
    for (const KeptAnswer& answer : device.answers) {
      if (kept.words.text(answer.store).empty()) continue;
      StoreRow& row = stores[answer.store];
      row.store = kept.words.text(answer.store);
      ++row.answers;
      row.matched += answer.matched;
      row.confirmed += answer.confirmed;
      row.refuted += answer.refuted;
      if (answer.refuted > 0) ++row.refuting_answers;
    }
  }
  for (auto& [store, row] : stores) {
    if (row.refuted > 0)
      report.notes.push_back(
          fmt::format("the golden store {} is in error: the reference contradicts it in {} of {} "
                      "answers; make it again and sweep again",
                      row.store, row.refuting_answers, row.answers));
    report.stores.push_back(std::move(row));
  }
}

void count_self_tests(const Kept& kept, FleetReport& report) {
  for (const KeptDevice& device : kept.devices) {
    for (const KeptAnswer& answer : device.answers) {
      if (answer.completeness == Completeness::kError) continue;
      (answer.self_test == SelfTest::kCaught ? report.self_tests : report.untested) += 1;
    }
  }
  if (report.untested > 0 && report.self_tests > 0)
    report.notes.push_back(fmt::format("{} {} without a self-test that noticed its fault",
                                       reports::plain_plural(report.untested, "answer"),
                                       report.untested == 1 ? "comes" : "come"));
}

}  // namespace

Merge::Merge() : state_(std::make_unique<State>()) {}
Merge::~Merge() = default;

void Merge::add(const Rollup& rollup) {
  const std::uint64_t content = identity_of(rollup);
  const std::lock_guard lock(state_->mutex);
  state_->kept.add(rollup, content);
}

void Merge::add(const AgentRecord& agent) { state_->kept.agents.push_back(agent); }
void Merge::note(std::string sentence) { state_->notes.push_back(std::move(sentence)); }

FleetReport Merge::finish(const std::optional<Roster>& roster) {
  Kept& kept = state_->kept;
  FleetReport report;
  report.rollups = kept.rollups;
  take_attendance(kept, roster, report);
  judge_devices(kept, report);
  count_rows(report);
  count_questions(kept, report);
  count_stores(kept, report);
  count_self_tests(kept, report);
  report.first_started = kept.first_started;
  report.last_started = kept.last_started;
  find_outliers(kept, report);
  report.notes.insert(report.notes.end(), state_->notes.begin(), state_->notes.end());
  std::ranges::sort(report.rows, [](const DeviceRow& a, const DeviceRow& b) {
    return std::tuple(-severity_of(a.verdict), a.node, a.selector) <
           std::tuple(-severity_of(b.verdict), b.node, b.selector);
  });
  return report;
}

int exit_code(const FleetReport& report) {
  const auto wrong = [](const DeviceRow& row) {
    return row.violates || is_found_wrong(row.verdict);
  };
  if (std::ranges::any_of(report.rows, wrong)) return reports::kExitDoesNotConform;
  const bool lacks_answers =
      report.count(DeviceVerdict::kAbsent) + report.count(DeviceVerdict::kError) > 0;
  return lacks_answers ? reports::kExitIncomplete : reports::kExitConforms;
}

}  // namespace halfmark::fleet
