// SPDX-License-Identifier: Apache-2.0
// Two scorecards side by side. Decides what counts as aligned and what as a change; passes no
// judgement (gate.hpp does).
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// Empty: version, contract, level and seed agree, so that equal names mean equal questions. Else
/// what differs.
[[nodiscard]] std::vector<std::string> alignment_gaps(const Scorecard& a, const Scorecard& b);

struct VerdictChange {
  std::string name;
  std::optional<suites::Verdict> a, b;  // absent: that card has no such case
  std::string reason;                   // of b
};

struct TimeChange {
  std::string what;
  double a_ns = 0, b_ns = 0;
  bool distinguishable = false;  // both medians have an interval, and these do not overlap
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
  std::uint64_t same_bits = 0;           // cases that both ran, with equal output bits
  std::vector<std::string> other_bits;   // both ran to the same verdict, with different output bits
  std::vector<Finding> fixed, appeared;  // findings of one card only, by case, rule and class
  std::vector<TimeChange> times;         // rows that count on both cards
  std::vector<MarkChange> marks;         // every mark
};

[[nodiscard]] Comparison compare(const Scorecard& a, const Scorecard& b);

void write_comparison(const Scorecard& a, const Scorecard& b, const Comparison& comparison,
                      std::ostream& out);

}  // namespace halfmark::reports
