// SPDX-License-Identifier: Apache-2.0
#include "reports/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/findings.hpp"
#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

void note_gap(std::vector<std::string>& gaps, std::string_view what, const std::string& a,
              const std::string& b) {
  if (a != b) gaps.push_back(fmt::format("{} {} against {}", what, a, b));
}

using CasesByName = std::map<std::string, const CaseLine*>;

CasesByName by_name(const Scorecard& card) {
  CasesByName cases;
  for (const CaseLine& line : card.cases) cases[line.name] = &line;
  return cases;
}

void compare_cases(const Scorecard& a, const Scorecard& b, Comparison& result) {
  const CasesByName in_a = by_name(a), in_b = by_name(b);
  for (const auto& [name, line] : in_a) {
    const auto other = in_b.find(name);
    const bool has_both = other != in_b.end() && !line->digest.empty();
    result.same_bits += has_both && line->digest == other->second->digest;
    if (other == in_b.end()) {
      result.verdicts.push_back(
          {.name = name, .a = line->verdict, .b = std::nullopt, .reason = "no result"});
    } else if (other->second->verdict != line->verdict) {
      result.verdicts.push_back({.name = name,
                                 .a = line->verdict,
                                 .b = other->second->verdict,
                                 .reason = other->second->reason});
    } else if (line->digest != other->second->digest) {
      result.other_bits.push_back(name);
    }
  }
  for (const auto& [name, line] : in_b) {
    if (in_a.contains(name)) continue;
    result.verdicts.push_back(
        {.name = name, .a = std::nullopt, .b = line->verdict, .reason = line->reason});
  }
}

auto identity_of(const Finding& f) {
  return std::tuple(f.result.name, f.result.rule, f.result.finding_class, f.result.standing);
}

std::vector<Finding> findings_only_in(const Scorecard& here, const Scorecard& there) {
  std::set<decltype(identity_of(std::declval<Finding>()))> known;
  for (const Finding& finding : there.findings) known.insert(identity_of(finding));
  std::vector<Finding> only;
  for (const Finding& finding : here.findings) {
    if (!known.contains(identity_of(finding))) only.push_back(finding);
  }
  return only;
}

auto question_of(const ThroughputRow& row) {
  const ThroughputRun& run = row.run;
  return std::tuple(run.operation, run.provider, run.formats, run.shape, run.fill, run.name,
                    is_again(run));
}

bool apart(const ThroughputRow& a, const ThroughputRow& b) {
  return a.interval && b.interval &&
         (a.interval->high_ns < b.interval->low_ns || b.interval->high_ns < a.interval->low_ns);
}

std::vector<TimeChange> compare_times(const Scorecard& a, const Scorecard& b) {
  std::vector<TimeChange> times;
  for (const ThroughputRow& row : a.throughput) {
    const auto other = std::ranges::find_if(
        b.throughput, [&](const ThroughputRow& r) { return question_of(r) == question_of(row); });
    if (other == b.throughput.end() || !row.excluded.empty() || !other->excluded.empty()) continue;
    times.push_back({.what = kernel_text(row),
                     .a_ns = row.median_ns,
                     .b_ns = other->median_ns,
                     .distinguishable = apart(row, *other)});
  }
  return times;
}

std::vector<DeviceChange> compare_devices(const Scorecard& a, const Scorecard& b) {
  std::vector<DeviceChange> changes;
  for (const char* key : {"name", "vendor", "platform", "driver_version", "api_version"}) {
    const std::string in_a = device_text(a, key), in_b = device_text(b, key);
    if (in_a != in_b) changes.push_back({.what = key, .a = in_a, .b = in_b});
  }
  return changes;
}

}  // namespace

std::vector<std::string> alignment_gaps(const Scorecard& a, const Scorecard& b) {
  std::vector<std::string> gaps;
  note_gap(gaps, "suite version", a.suite.version, b.suite.version);
  note_gap(gaps, "contract", a.suite.contract_revision, b.suite.contract_revision);
  note_gap(gaps, "level", a.suite.level, b.suite.level);
  note_gap(gaps, "seed", std::to_string(a.suite.seed), std::to_string(b.suite.seed));
  // A card without a store was judged by the reference, which every store claims to repeat.
  if (!a.suite.golden.empty() && !b.suite.golden.empty())
    note_gap(gaps, "golden store", a.suite.golden.substr(0, 12), b.suite.golden.substr(0, 12));
  return gaps;
}

Comparison compare(const Scorecard& a, const Scorecard& b) {
  Comparison result;
  result.alignment_gaps = alignment_gaps(a, b);
  result.device = compare_devices(a, b);
  compare_cases(a, b, result);
  result.fixed = findings_only_in(a, b);
  result.appeared = findings_only_in(b, a);
  result.times = compare_times(a, b);
  for (const Mark& mark : a.marks) {
    const Mark* other = find_mark(b, mark.id);
    result.marks.push_back({.id = mark.id, .a_held = mark.held, .b_held = other && other->held});
  }
  return result;
}

}  // namespace halfmark::reports
