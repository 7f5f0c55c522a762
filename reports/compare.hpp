// SPDX-License-Identifier: Apache-2.0
// Compares two scorecards. Decides when two cards are aligned and what counts as a change; whether
// a change is acceptable is decided in gate.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// Lists the differences in version, contract, level, seed and golden store. Empty means that all
/// agree, so that equal case names ask the same question.
[[nodiscard]] std::vector<std::string> alignment_gaps(const Scorecard& a, const Scorecard& b);

struct VerdictChange {
  std::string name;
  std::optional<suites::Verdict> a, b;  // absent: that card has no such case
  std::string reason;                   // of b
};

struct TimeChange {
  std::string what;  // kernel_text() of the row
  double a_ns = 0, b_ns = 0;
  bool distinguishable = false;  // both medians have an interval, and the intervals do not overlap
  [[nodiscard]] double ratio() const { return a_ns / b_ns; }  // above 1: b is faster
};

struct MarkChange {
  std::string id;
  bool a_held = false, b_held = false;
};

struct DeviceChange {
  std::string what, a, b;
};

struct Comparison {
  std::vector<std::string> alignment_gaps;
  std::vector<DeviceChange> device;
  std::vector<VerdictChange> verdicts;
  std::uint64_t same_bits = 0;          // cases with results on both cards and equal output bits
  std::vector<std::string> other_bits;  // same verdict on both cards, different output bits
  std::vector<Finding> fixed,
      appeared;  // findings on one card only, matched by case, rule, class and standing
  std::vector<TimeChange> times;  // rows that count on both cards
  std::vector<MarkChange> marks;  // every mark of `a`
};

/// Compares also cards that are not aligned; `alignment_gaps` then says how they differ.
[[nodiscard]] Comparison compare(const Scorecard& a, const Scorecard& b);

}  // namespace halfmark::reports
