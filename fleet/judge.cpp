// SPDX-License-Identifier: Apache-2.0
#include "fleet/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "fleet/digest64.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::fleet {
namespace {

std::uint64_t key_of(const KeptAnswer& answer) { return combined(answer.peers, answer.question); }

std::uint64_t key_of(const KeptAnswer& answer, const KeptSuite& suite) {
  return combined(combined(key_of(answer), suite.suite), suite.asked);
}

std::uint64_t key_of(const KeptAnswer& answer, const KeptMiss& miss) {
  return combined(combined(key_of(answer), miss.case_name), 1);
}

bool is_varying(MissKind kind) {
  return kind == MissKind::kVaries || kind == MissKind::kContradicts;
}

constexpr std::uint64_t kVarying = 2, kListedInPart = 3;

// Whether the device was right in the cases that it does not list.
bool lists_all_misses(const KeptAnswer& answer) {
  return answer.completeness == Completeness::kComplete &&
         answer.total_misses <= answer.misses.size();
}

void keep_graver(Judged& worst, Judged found) {
  if (severity_of(found.verdict) > severity_of(worst.verdict)) {
    found.violates = found.violates || worst.violates;
    worst = std::move(found);
  } else {
    worst.violates = worst.violates || found.violates;
  }
}

std::string shown(const KeptMiss& miss, const Words& words) {
  return fmt::format("{} ({})", words.text(miss.case_name), words.text(miss.finding_class));
}

const KeptMiss* first_wrong(const KeptAnswer& answer, std::string_view suite, const Words& words) {
  for (const KeptMiss& miss : answer.misses) {
    if (!is_varying(miss.kind) && reports::suite_of(words.text(miss.case_name)) == suite)
      return &miss;
  }
  return nullptr;
}

constexpr const char* kNoPeer = "it has no peer that was asked the same";

// The device itself is one of them.
std::string asked_alike(std::uint64_t members) {
  return fmt::format("of {} devices that were asked the same", members);
}

std::string on_wrong(const Poll& poll, DeviceVerdict verdict) {
  if (poll.members == 1) return kNoPeer;
  if (verdict == DeviceVerdict::kDeterministicDeviation)
    return fmt::format("{}, {} give the same wrong bits", asked_alike(poll.members), poll.same);
  return fmt::format("{}, right: {}, with its bits: {}", asked_alike(poll.members), poll.right,
                     poll.same);
}

Judged judge_wrong_suite(const KeptAnswer& answer, const KeptSuite& suite, const Polls& polls,
                         const Words& words) {
  const std::string& name = words.text(suite.suite);
  const KeptMiss* miss = first_wrong(answer, name, words);
  Poll poll = polls.among_all(answer, suite);
  if (poll.members == 1 && miss != nullptr) poll = polls.on_case(answer, *miss);
  const DeviceVerdict verdict = verdict_on_wrong_bits(poll);
  return {.verdict = verdict,
          .evidence = fmt::format("{}: wrong cases: {}, first {}; {}", name, suite.missed,
                                  miss != nullptr ? shown(*miss, words) : "one that is not listed",
                                  on_wrong(poll, verdict)),
          .suite = suite.suite,
          .violates = true,
          .answer = &answer};
}

Judged judge_right_suite(const KeptAnswer& answer, const KeptSuite& suite, const Polls& polls,
                         const Words& words) {
  const Poll poll = polls.among_right(answer, suite);
  const DeviceVerdict verdict = verdict_on_right_bits(poll);
  if (verdict == DeviceVerdict::kConformant) return {};
  return {.verdict = verdict,
          .evidence = fmt::format("{}: within its bounds; {}, with its bits: {}{}",
                                  words.text(suite.suite), asked_alike(poll.members), poll.same,
                                  verdict == DeviceVerdict::kLoneDeviation
                                      ? fmt::format(", with the same other bits: {}", poll.largest)
                                      : ""),
          .suite = suite.suite,
          .violates = false,
          .answer = &answer};
}

Judged judge_varying(const KeptAnswer& answer, const KeptMiss& miss, const Polls& polls,
                     const Words& words) {
  const std::uint64_t varying = polls.varying(answer, miss);
  const std::uint64_t members = polls.members(answer, miss);
  return {
      .verdict = verdict_on_varying_bits(varying, members, miss.kind == MissKind::kVaries),
      .evidence = fmt::format(
          "{} changes from call to call; {}", shown(miss, words),
          members == 1 ? kNoPeer : fmt::format("{}, it does on {}", asked_alike(members), varying)),
      .suite = {},
      .violates = miss.kind == MissKind::kContradicts,
      .answer = &answer};
}

Judged judge_answer(const KeptAnswer& answer, const Polls& polls, const Words& words) {
  Judged worst{.answer = &answer};
  for (const KeptMiss& miss : answer.misses) {
    if (is_varying(miss.kind)) keep_graver(worst, judge_varying(answer, miss, polls, words));
  }
  for (const KeptSuite& suite : answer.suites)
    keep_graver(worst, suite.missed > 0 ? judge_wrong_suite(answer, suite, polls, words)
                                        : judge_right_suite(answer, suite, polls, words));
  return worst;
}

// An answer that was cut short, or none at all, counts unless the same task, or an answer to the
// same question, made good for it. An answer that proves nothing counts as one that was cut short,
// and answers to other questions prove nothing about it.
Judged judge_completeness(const KeptDevice& device, const KeptAnswer& answer, const Words& words) {
  const auto is_proof = [](const KeptAnswer& one) {
    return one.completeness == Completeness::kComplete && !one.is_doubtful;
  };
  if (is_proof(answer)) return {};
  const bool made_good = std::ranges::any_of(device.answers, [&](const KeptAnswer& other) {
    return is_proof(other) &&
           ((other.run == answer.run && !answer.is_doubtful) || other.question == answer.question);
  });
  if (made_good) return {};
  const std::string& why = words.text(answer.reason);
  return {.verdict = DeviceVerdict::kError,
          .evidence = fmt::format("its answer is {}: {}", name_of(answer.completeness),
                                  why.empty() ? "it proves nothing" : why),
          .suite = {},
          .violates = false,
          .answer = &answer,
          .of_store = answer.refuted > 0};
}

// Two answers of the device to the same cases, with the same driver, must have the same bits.
Judged judge_repeats(const KeptDevice& device, const Words& words) {
  std::unordered_map<std::uint64_t, std::uint64_t> bits;
  for (const KeptAnswer& answer : device.answers) {
    if (answer.is_doubtful) continue;
    for (const KeptSuite& suite : answer.suites) {
      const auto [first, is_new] = bits.emplace(key_of(answer, suite), suite.bits);
      if (is_new || first->second == suite.bits) continue;
      return {.verdict = DeviceVerdict::kIntermittent,
              .evidence = fmt::format("{}: two of its {} answers to the same question differ",
                                      words.text(suite.suite), device.answers.size()),
              .suite = suite.suite,
              .violates = false,
              .answer = &answer};
    }
  }
  return {};
}

}  // namespace

Polls::Polls(const std::vector<KeptDevice>& devices) {
  std::unordered_set<std::uint64_t> voted;
  for (const KeptDevice& device : devices) {
    voted.clear();
    // A device has one vote: with several answers to one question, that of the first complete one.
    for (const Completeness wanted : {Completeness::kComplete, Completeness::kPartial}) {
      for (const KeptAnswer& answer : device.answers) {
        if (answer.completeness != wanted || answer.is_doubtful) continue;
        for (const KeptSuite& suite : answer.suites) {
          if (voted.insert(key_of(answer, suite)).second) add_suite(answer, suite);
        }
        if (voted.insert(key_of(answer)).second) add_misses(answer);
      }
    }
  }
}

void Polls::add_misses(const KeptAnswer& answer) {
  const bool is_whole = lists_all_misses(answer);
  if (is_whole) ++counts_[key_of(answer)].all;
  for (const KeptMiss& miss : answer.misses) {
    const std::uint64_t key = key_of(answer, miss);
    if (!is_whole) ++counts_[combined(key, kListedInPart)].all;
    if (is_varying(miss.kind)) {
      ++counts_[combined(key, kVarying)].all;
      continue;
    }
    ++counts_[key].all;
    ++counts_[combined(key, miss.result)].all;
  }
}

void Polls::add_suite(const KeptAnswer& answer, const KeptSuite& suite) {
  const std::uint64_t key = key_of(answer, suite);
  Count& same = counts_[combined(key, suite.bits)];
  ++same.all;
  if (suite.missed == 0) ++same.right;
  const Count latest = same;  // the next line may move it
  Count& total = counts_[key];
  ++total.all;
  if (suite.missed == 0) ++total.right;
  total.largest = std::max(total.largest, latest.all);
  total.largest_right = std::max(total.largest_right, latest.right);
}

Polls::Count Polls::count(std::uint64_t key) const {
  const auto found = counts_.find(key);
  return found == counts_.end() ? Count{} : found->second;
}

std::uint64_t Polls::members(const KeptAnswer& answer, const KeptMiss& miss) const {
  const std::uint64_t listed_in_part = count(combined(key_of(answer, miss), kListedInPart)).all;
  return std::max<std::uint64_t>(1, count(key_of(answer)).all + listed_in_part);
}

Poll Polls::among_all(const KeptAnswer& answer, const KeptSuite& suite) const {
  const std::uint64_t key = key_of(answer, suite);
  const Count total = count(key);
  return {.members = total.all,
          .same = count(combined(key, suite.bits)).all,
          .largest = total.largest,
          .right = total.right};
}

Poll Polls::among_right(const KeptAnswer& answer, const KeptSuite& suite) const {
  const std::uint64_t key = key_of(answer, suite);
  const Count total = count(key);
  return {.members = total.right,
          .same = count(combined(key, suite.bits)).right,
          .largest = total.largest_right,
          .right = total.right};
}

Poll Polls::on_case(const KeptAnswer& answer, const KeptMiss& miss) const {
  const std::uint64_t key = key_of(answer, miss), all = members(answer, miss);
  const std::uint64_t missed = count(key).all + varying(answer, miss);
  const std::uint64_t same = count(combined(key, miss.result)).all;
  return {.members = all, .same = same, .largest = same, .right = all - std::min(all, missed)};
}

std::uint64_t Polls::varying(const KeptAnswer& answer, const KeptMiss& miss) const {
  return count(combined(key_of(answer, miss), kVarying)).all;
}

Judged judge(const KeptDevice& device, const Polls& polls, const Words& words) {
  Judged worst{.answer = &device.answers.front()};
  keep_graver(worst, judge_repeats(device, words));
  for (const KeptAnswer& answer : device.answers) {
    // A store in error accuses nobody, and neither does a pipeline that notices no faults.
    if (answer.completeness != Completeness::kError && !answer.is_doubtful)
      keep_graver(worst, judge_answer(answer, polls, words));
    keep_graver(worst, judge_completeness(device, answer, words));
  }
  return worst;
}

}  // namespace halfmark::fleet
