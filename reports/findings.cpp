// SPDX-License-Identifier: Apache-2.0
#include "reports/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "suites/core/case/finding_classes.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Explanation;
using suites::Standing;
using suites::Verdict;

constexpr auto kSeverities =
    std::to_array<std::string_view>({"critical", "major", "minor", "note"});

constexpr std::string_view name_of(suites::Severity severity) {
  switch (severity) {
    case suites::Severity::kCritical:
      return "critical";
    case suites::Severity::kMajor:
      return "major";
    case suites::Severity::kMinor:
      return "minor";
  }
  return "";
}

bool is_finding(const CaseResult& r) {
  return r.standing != Standing::kNone || r.verdict == Verdict::kFail;
}

Finding make_finding(CaseResult result, const std::string& selector, const std::string& options) {
  if (result.standing == Standing::kNone) result.standing = Standing::kViolation;
  if (result.finding_class.empty()) result.finding_class = "unexplained";
  if (result.operation.empty()) result.operation = result.suite;
  Finding finding;
  finding.severity = severity_of(result.standing, result.finding_class);
  finding.replay = fmt::format("halfmark replay {}{}{}", result.name,
                               selector.empty() ? "" : " --device " + selector, options);
  finding.result = std::move(result);
  return finding;
}

auto rank(const Finding& finding) {
  const auto severity = std::ranges::find(kSeverities, finding.severity);
  return std::tuple(finding.result.standing != Standing::kViolation, severity - kSeverities.begin(),
                    std::string_view(finding.result.name));
}

}  // namespace

std::vector<Finding> make_findings(const std::vector<CaseResult>& sorted_results,
                                   const std::string& device_selector,
                                   const std::string& replay_options) {
  std::vector<Finding> findings;
  for (const CaseResult& result : sorted_results) {
    if (is_finding(result))
      findings.push_back(make_finding(result, device_selector, replay_options));
  }
  std::ranges::sort(findings, {}, rank);
  std::size_t number = 0;
  for (Finding& finding : findings) finding.id = fmt::format("F{:03}", ++number);
  return findings;
}

std::string_view severity_of(Standing standing, std::string_view finding_class) {
  if (standing == Standing::kDeviation) return "note";
  const suites::FindingClass* row = suites::find_class(finding_class);
  return name_of(row == nullptr ? suites::Severity::kMajor : row->severity);
}

std::string_view meaning_of(std::string_view finding_class) {
  const suites::FindingClass* row = suites::find_class(finding_class);
  return row == nullptr ? std::string_view() : row->meaning;
}

const Explanation* leading_explanation(const Finding& finding) {
  const auto& all = finding.result.explanations;
  const auto exact = std::ranges::find_if(
      all, [&](const Explanation& e) { return e.exact(finding.result.mismatches); });
  if (exact != all.end()) return &*exact;
  return all.empty() ? nullptr : &all.front();
}

unsigned explained_percent(const Explanation& explanation, std::uint64_t wrong) {
  if (wrong == 0) return 0;
  const std::uint64_t explained = std::min(explanation.explained, wrong);
  return static_cast<unsigned>(static_cast<unsigned __int128>(explained) * 100 / wrong);
}

std::vector<FindingGroup> group_findings(const Scorecard& card) {
  std::vector<FindingGroup> groups;
  std::map<std::tuple<Standing, std::string, std::string, std::string>, std::size_t> places;
  for (const Finding& finding : card.findings) {
    const Explanation* lead = leading_explanation(finding);
    const std::tuple key(finding.result.standing, finding.result.rule, finding.result.finding_class,
                         lead ? lead->hypothesis : std::string());
    const auto [place, fresh] = places.try_emplace(key, groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].all.push_back(&finding);
  }
  return groups;
}

const Finding* reduced_of(const FindingGroup& group) {
  const auto found = std::ranges::find_if(
      group.all, [](const Finding* f) { return f->result.reduction.has_value(); });
  return found == group.all.end() ? nullptr : *found;
}

const Finding* reduced_like(const Scorecard& card, const Finding& finding) {
  if (finding.result.reduction) return &finding;
  for (const FindingGroup& group : group_findings(card)) {
    const bool here =
        std::ranges::any_of(group.all, [&](const Finding* f) { return f->id == finding.id; });
    if (here) return reduced_of(group);
  }
  return nullptr;
}

std::string list_other_ids(const FindingGroup& group, std::size_t limit) {
  std::string text;
  const std::size_t others = group.all.size() - 1;
  for (std::size_t i = 0; i < std::min(others, limit); ++i) {
    text += (i ? " " : "") + group.all[i + 1]->id;
  }
  if (others > limit) text += fmt::format(" and {} more", others - limit);
  return text;
}

}  // namespace halfmark::reports
