// SPDX-License-Identifier: Apache-2.0
// What a merge keeps of each roll-up: some hundred bytes, with words replaced by numbers. Decides
// only the layout; judge.hpp, attendance.hpp and outliers.hpp read it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fleet/agent.hpp"
#include "fleet/rollup.hpp"

namespace halfmark::fleet {

/// Numbers words in the order in which they are first seen.
class Words {
 public:
  [[nodiscard]] std::uint32_t id(std::string_view word) {
    const auto found = ids_.find(word);
    if (found != ids_.end()) return found->second;
    words_.emplace_back(word);
    const auto id = static_cast<std::uint32_t>(words_.size() - 1);
    ids_.emplace(words_.back(), id);
    return id;
  }
  [[nodiscard]] const std::string& text(std::uint32_t id) const { return words_[id]; }

 private:
  std::deque<std::string> words_;  // a deque, so that the keys stay where they are
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

struct KeptSuite {
  std::uint32_t suite = 0;
  std::uint64_t missed = 0, asked = 0, bits = 0;
};

struct KeptMiss {
  std::uint32_t case_name = 0, finding_class = 0;
  std::uint64_t result = 0;
  MissKind kind = MissKind::kViolation;
};

struct KeptRate {
  std::uint32_t name = 0;
  double per_second = 0, clock_mhz = 0;
};

struct KeptAnswer {
  std::uint32_t run = 0, task = 0;
  std::uint32_t peers = 0;  // device and driver
  std::uint32_t question = 0;
  std::uint64_t seed = 0;
  Completeness completeness = Completeness::kError;
  std::uint32_t reason = 0;
  std::string card;         // the first 12 digits
  std::uint32_t store = 0;  // the golden store, by its first 12 digits; empty: none
  std::uint64_t matched = 0, confirmed = 0, refuted = 0;
  SelfTest self_test = SelfTest::kNone;
  bool breaks_a_promise = false, is_doubtful = false;
  std::uint64_t total_misses = 0, trials = 0;
  std::vector<KeptSuite> suites;
  std::vector<KeptMiss> misses;
  std::vector<KeptRate> rates;
};

struct KeptDevice {
  std::uint32_t node = 0, selector = 0;
  std::vector<KeptAnswer> answers;
};

/// Two roll-ups with the same identity are the same file, or a copy of it.
[[nodiscard]] std::uint64_t identity_of(const Rollup& rollup);

struct Kept {
  Words words;
  std::vector<KeptDevice> devices;
  std::vector<AgentRecord> agents;
  std::unordered_map<std::uint64_t, std::size_t> place_of;  // by node and selector
  std::unordered_set<std::uint64_t> seen;                   // roll-ups, by content
  std::uint64_t rollups = 0, repeated = 0;
  std::string first_started, last_started;  // of all answers, as they say

  /// `content`: identity_of(rollup).
  void add(const Rollup& rollup, std::uint64_t content);
  /// Null: it gave no answer.
  [[nodiscard]] const KeptDevice* find(std::string_view node, std::string_view selector);
};

}  // namespace halfmark::fleet
