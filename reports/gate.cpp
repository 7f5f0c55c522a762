// SPDX-License-Identifier: Apache-2.0
#include "reports/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/compare.hpp"
#include "reports/findings.hpp"
#include "reports/incidents.hpp"
#include "reports/plain_plural.hpp"

namespace halfmark::reports {
namespace {

using suites::Standing;
using suites::Verdict;

using FindingsByCase = std::map<std::string, const Finding*>;

FindingsByCase findings_by_case(const Scorecard& card) {
  FindingsByCase findings;
  for (const Finding& finding : card.findings) findings[finding.result.name] = &finding;
  return findings;
}

bool is_violation(const Finding& f) { return f.result.standing == Standing::kViolation; }

std::set<std::pair<std::string, std::string>> known_violations(const Scorecard& card) {
  std::set<std::pair<std::string, std::string>> known;
  for (const Finding& f : card.findings) {
    if (is_violation(f)) known.emplace(f.result.name, f.result.rule);
  }
  return known;
}

std::string tell(const Finding& f) {
  const suites::Explanation* lead = leading_explanation(f);
  const std::string because = lead ? lead->sentence : f.result.reason;
  return fmt::format("{} {}: {}; {}", f.id, f.result.finding_class,
                     because.empty() ? "no explanation" : because, f.replay);
}

void find_new_violations(const Scorecard& baseline, const Scorecard& candidate,
                         GateResult& result) {
  const auto known = known_violations(baseline);
  for (const Finding& f : candidate.findings) {
    if (!is_violation(f) || known.contains({f.result.name, f.result.rule})) continue;
    result.items.push_back({.kind = GateItemKind::kNewViolation,
                            .subject = f.result.name,
                            .rule = f.result.rule,
                            .text = tell(f),
                            .waiver = std::nullopt});
  }
  for (const Canary& canary : candidate.canaries) {
    const bool before = std::ranges::any_of(baseline.canaries, [&](const Canary& c) {
      return c.name == canary.name && c.standing == canary.standing;
    });
    if (canary.standing != "violation" || before) continue;
    result.items.push_back({.kind = GateItemKind::kNewViolation,
                            .subject = "canary." + canary.name,
                            .rule = "canary",
                            .text = canary.observed,
                            .waiver = std::nullopt});
  }
}

bool is_named(const GateResult& result, const std::string& subject) {
  return std::ranges::any_of(result.items,
                             [&](const GateItem& item) { return item.subject == subject; });
}

// Null: the card has no such case.
const CaseLine* line_named(const Scorecard& card, const std::string& name) {
  const auto line = std::ranges::lower_bound(card.cases, name, {}, &CaseLine::name);
  return line == card.cases.end() || line->name != name ? nullptr : &*line;
}

bool is_regression(const CaseLine* before, const CaseLine& now) {
  if (died(now.verdict)) return before == nullptr || !died(before->verdict);
  return before != nullptr && before->verdict == Verdict::kPass && now.verdict != Verdict::kPass;
}

std::string state_before(const CaseLine* before) {
  if (before == nullptr) return "not in the baseline";
  if (before->verdict == Verdict::kPass) return "passed before";
  return fmt::format("was {}", name_of(before->verdict));
}

void find_regressions(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  const FindingsByCase findings = findings_by_case(candidate);
  for (const CaseLine& now : candidate.cases) {
    const CaseLine* before = line_named(baseline, now.name);
    if (!is_regression(before, now) || is_named(result, now.name)) continue;
    const auto finding = findings.find(now.name);
    result.items.push_back({.kind = GateItemKind::kRegression,
                            .subject = now.name,
                            .rule = finding == findings.end() ? "" : finding->second->result.rule,
                            .text = fmt::format("{}, now {}: {}", state_before(before),
                                                name_of(now.verdict), now.reason),
                            .waiver = std::nullopt});
  }
}

void find_missing_cases(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  for (const CaseLine& before : baseline.cases) {
    const CaseLine* now = line_named(candidate, before.name);
    if (now == nullptr) {
      result.items.push_back(
          {.kind = GateItemKind::kMissingCase,
           .subject = before.name,
           .rule = "",
           .text = fmt::format("was {}, has no result now", name_of(before.verdict)),
           .waiver = std::nullopt});
    } else if (before.verdict != Verdict::kPass && now->verdict == Verdict::kPass) {
      result.notes.push_back(
          fmt::format("{} passes now, was {}", before.name, name_of(before.verdict)));
    }
  }
}

void find_lost_marks(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  for (const Mark& before : baseline.marks) {
    const Mark* now = find_mark(candidate, before.id);
    const bool held = now && now->held;
    if (!before.held && held) result.notes.push_back(fmt::format("mark {} is now held", before.id));
    if (!before.held || held) continue;
    result.items.push_back({.kind = GateItemKind::kLostMark,
                            .subject = "mark." + before.id,
                            .rule = "",
                            .text = now && !now->reasons.empty()
                                        ? now->reasons.front()
                                        : "the mark is missing from the new scorecard",
                            .waiver = std::nullopt});
  }
}

void find_losses(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  const Losses before = losses_in(baseline.environment, baseline.expected_cases);
  const Losses now = losses_in(candidate.environment, candidate.expected_cases);
  if (!now.beyond() || before.beyond()) return;
  result.items.push_back({.kind = GateItemKind::kRegression,
                          .subject = "losses",
                          .rule = "",
                          .text = fmt::format("{}, {} before", sentence(now), before.count),
                          .waiver = std::nullopt});
}

void apply_waivers(const std::vector<Waiver>& waivers, const std::string& today,
                   GateResult& result) {
  for (const Waiver& waiver : waivers) {
    if (is_expired(waiver, today)) {
      result.expired.push_back(waiver);
      continue;
    }
    bool used = false;
    for (GateItem& item : result.items) {
      if (!covers(waiver, item.subject, item.rule)) continue;
      used = true;
      if (!item.waiver) item.waiver = waiver;
    }
    if (!used) result.unused.push_back(waiver);
  }
}

void note_device(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  for (const char* key : {"name", "driver_version"}) {
    const std::string before = device_text(baseline, key), now = device_text(candidate, key);
    if (before != now)
      result.notes.push_back(fmt::format("device {}: {} before, {} now", key, before, now));
  }
}

void note_partial_baseline(const Scorecard& baseline, const Scorecard& candidate,
                           GateResult& result) {
  if (baseline.complete) return;
  const auto unknown = std::ranges::count_if(candidate.cases, [&](const CaseLine& line) {
    return line_named(baseline, line.name) == nullptr;
  });
  result.notes.push_back(fmt::format("the baseline is partial ({}): {} of the new run {} not in it",
                                     fmt::join(baseline.incomplete_reasons, "; "),
                                     plain_plural(static_cast<std::uint64_t>(unknown), "case"),
                                     unknown == 1 ? "is" : "are"));
}

// Cards of other parts of the same cases are aligned, since equal names ask the same question.
void note_selection(const Scorecard& baseline, const Scorecard& candidate, GateResult& result) {
  const auto note = [&](std::string_view what, const std::string& before, const std::string& now) {
    if (before != now)
      result.notes.push_back(fmt::format("{}: {} before, {} now", what,
                                         before.empty() ? "all" : before,
                                         now.empty() ? "all" : now));
  };
  const RunIdentity &before = baseline.suite, &now = candidate.suite;
  note("suites", fmt::format("{}", fmt::join(before.suites, ", ")),
       fmt::format("{}", fmt::join(now.suites, ", ")));
  note("cases matching", fmt::format("{}", fmt::join(before.filters, ", ")),
       fmt::format("{}", fmt::join(now.filters, ", ")));
  note("shard", before.shard, now.shard);
}

}  // namespace

std::string_view name_of(GateItemKind kind) {
  switch (kind) {
    case GateItemKind::kNewViolation:
      return "new violation";
    case GateItemKind::kRegression:
      return "regression";
    case GateItemKind::kMissingCase:
      return "missing case";
    case GateItemKind::kLostMark:
      return "lost mark";
  }
  return "";
}

int GateResult::exit_code() const {
  if (!alignment_gaps.empty()) return kExitUnusable;
  // Cases that a partial run did not reach, and the marks lost with them, are no fault of
  // the device.
  const bool proven = std::ranges::any_of(items, [&](const GateItem& item) {
    const bool only_unreached =
        item.kind == GateItemKind::kMissingCase || item.kind == GateItemKind::kLostMark;
    return !item.waiver && (complete || !only_unreached);
  });
  if (proven) return kExitDoesNotConform;
  return complete && baseline_complete ? kExitConforms : kExitIncomplete;
}

GateResult gate(const Scorecard& baseline, const Scorecard& candidate,
                const std::vector<Waiver>& waivers, const std::string& today) {
  GateResult result;
  result.alignment_gaps = alignment_gaps(baseline, candidate);
  if (!result.alignment_gaps.empty()) return result;
  result.complete = candidate.complete;
  result.baseline_complete = baseline.complete;
  result.compared = baseline.cases.size();
  note_partial_baseline(baseline, candidate, result);
  note_selection(baseline, candidate, result);
  note_device(baseline, candidate, result);
  find_new_violations(baseline, candidate, result);
  find_regressions(baseline, candidate, result);
  find_missing_cases(baseline, candidate, result);
  find_lost_marks(baseline, candidate, result);
  find_losses(baseline, candidate, result);
  apply_waivers(waivers, today, result);
  return result;
}

}  // namespace halfmark::reports
