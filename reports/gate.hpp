// SPDX-License-Identifier: Apache-2.0
// The gate decides whether a scorecard may replace a baseline. It fails on a new violation, a case
// that passed before and does not now, a case that died (suites::died) and did not before, a
// missing case, a lost mark, and more losses of the device than are allowed where the baseline had
// no more. Failures that the baseline already has do not fail it, nor do times: those of a single
// run are not reliable enough. Only the mark TF16 depends on times and can be lost to them. A
// partial card on either side leaves the answer open. Assumes that both cards are valid.
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
  std::string subject;  // case name, "mark.H1", "canary.NAME" or "losses": what a waiver names
  std::string rule;     // empty: no rule, as for a mark
  std::string text;
  std::optional<Waiver> waiver;
};

struct GateResult {
  std::vector<std::string> alignment_gaps;  // if any, the gate compared nothing else
  std::vector<GateItem> items;
  std::vector<std::string> notes;  // changes that do not fail the gate
  std::vector<Waiver> expired, unused;
  bool complete = true;           // the new run
  bool baseline_complete = true;  // the baseline
  std::uint64_t compared = 0;     // cases of the baseline

  /// 2: not aligned. 1: an item has no waiver; for a partial new run, missing cases and lost marks
  /// do not count. 4: otherwise, if a card is partial. 0: otherwise.
  [[nodiscard]] int exit_code() const;
};

/// What to do about cards that are not aligned.
inline constexpr std::string_view kRemedyForGaps =
    "make a baseline with the same suite, level, seed and golden store";

/// Cards that are not aligned are not compared. `today` is YYYY-MM-DD, for the expiry of waivers.
[[nodiscard]] GateResult gate(const Scorecard& baseline, const Scorecard& candidate,
                              const std::vector<Waiver>& waivers, const std::string& today);

void write_gate_console(const GateResult& result, std::ostream& out);
void write_gate_markdown(const GateResult& result, std::ostream& out);
/// Writes a test case per item and one for the gate as a whole, so that the file of a clean gate is
/// not empty.
void write_gate_junit(const GateResult& result, std::ostream& out);

}  // namespace halfmark::reports
