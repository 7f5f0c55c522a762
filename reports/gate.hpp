// SPDX-License-Identifier: Apache-2.0
// The gate: may this scorecard follow that baseline? Decides what fails it: a new violation, a case
// that passed and does not now, a case that is gone, a mark that is lost. What was wrong before and
// still is does not fail it. Assumes: both cards are valid. Throughput never fails a gate: one
// run's times cannot carry that.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"
#include "reports/waivers.hpp"

namespace halfmark::reports {

enum class GateItemKind { kNewViolation, kRegression, kMissingCase, kLostMark };
[[nodiscard]] std::string_view name_of(GateItemKind);  // "new violation", ...

struct GateItem {
  GateItemKind kind = GateItemKind::kRegression;
  std::string subject;  // a case name, "mark.H1" or "canary.NAME": what a waiver names
  std::string rule;     // empty: no rule, as for a mark
  std::string text;
  std::optional<Waiver> waiver;
};

struct GateResult {
  std::vector<std::string> alignment_gaps;  // if any, nothing else was looked at
  std::vector<GateItem> items;
  std::vector<std::string> notes;  // changes that fail nothing
  std::vector<Waiver> expired, unused;
  bool complete = true;
  std::uint64_t compared = 0;  // cases of the baseline

  [[nodiscard]] bool fails() const;
  /// 2: not aligned. 1: an item without a waiver. 4: only missing cases of a partial run. 0: may
  /// pass.
  [[nodiscard]] int exit_code() const;
};

[[nodiscard]] GateResult gate(const Scorecard& baseline, const Scorecard& candidate,
                              const std::vector<Waiver>& waivers, const std::string& today);

void write_gate_console(const GateResult& result, std::ostream& out);
void write_gate_markdown(const GateResult& result, std::ostream& out);
/// A test case per item, and one for the gate as a whole, so that a clean gate is not an empty
/// file.
void write_gate_junit(const GateResult& result, std::ostream& out);

}  // namespace halfmark::reports
