// SPDX-License-Identifier: Apache-2.0
#include "reports/scorecard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "reports/digest.hpp"
#include "reports/findings.hpp"
#include "reports/incidents.hpp"
#include "reports/marks.hpp"
#include "reports/plain_plural.hpp"
#include "reports/roofs.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/throughput.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;

constexpr std::size_t kSlowestShown = 10;

std::vector<CaseResult> sorted_by_name(std::vector<CaseResult> results) {
  std::ranges::sort(results, {},
                    [](const CaseResult& r) { return std::tie(r.name, r.verdict, r.digest); });
  return results;
}

std::vector<std::string> why_incomplete(const RunRecord& record,
                                        const std::vector<CaseResult>& results) {
  std::vector<std::string> reasons;
  if (!record.completed) {
    const bool has_all = results.size() == record.expected_cases;
    reasons.emplace_back(has_all ? kEndedMeasuring : "the run was ended before its last case");
  }
  if (results.size() != record.expected_cases) {
    reasons.push_back(
        fmt::format("{} of {} cases have a result", results.size(), record.expected_cases));
  }
  const auto twice = std::ranges::adjacent_find(results, {}, &CaseResult::name);
  if (twice != results.end())
    reasons.push_back(fmt::format("case {} has more than one result", twice->name));
  const bool answered = std::ranges::any_of(results, [](const CaseResult& r) {
    return r.verdict != Verdict::kSkipped && r.verdict != Verdict::kNotSupported &&
           r.verdict != Verdict::kUntrusted;
  });
  if (!answered) reasons.push_back("no case gave an answer");
  reasons.insert(reasons.end(), record.doubts.begin(), record.doubts.end());
  return reasons;
}

template <typename Row>
Row& row_named(std::vector<Row>& rows, const std::string& name) {
  auto place = std::ranges::lower_bound(rows, name, {}, &Row::name);
  if (place == rows.end() || place->name != name) {
    place = rows.insert(place, Row{});
    place->name = name;
  }
  return *place;
}

void count_cases(const std::vector<CaseResult>& results, Scorecard& card) {
  for (const CaseResult& r : results) {
    SuiteTally& suite = row_named(card.suites, r.suite);
    ++suite.verdicts[r.verdict];
    ++suite.tiers[r.tier][r.verdict];
    SuiteTimes& times = row_named(card.times.suites, r.suite);
    times.execute_seconds += r.execute_seconds;
    times.refer_seconds += r.refer_seconds;
    times.device_ns += r.device_ns;
    card.cases.push_back({.name = r.name,
                          .verdict = r.verdict,
                          .digest = r.digest,
                          .reason = r.reason,
                          .process = r.process,
                          .attempt = r.attempt});
    card.times.slowest.push_back({.name = r.name, .seconds = r.execute_seconds + r.refer_seconds});
  }
  std::ranges::sort(card.times.slowest, {}, [](const SlowCase& c) {
    return std::pair(-c.seconds, std::string_view(c.name));
  });
  card.times.slowest.resize(std::min(card.times.slowest.size(), kSlowestShown));
}

// Cases that were not supported or were skipped are not asserted either: one row per reason.
std::vector<NotAsserted> list_not_asserted(const RunRecord& record,
                                           const std::vector<CaseResult>& results) {
  std::map<std::tuple<std::string, Verdict, std::string>, std::uint64_t> groups;
  for (const CaseResult& r : results) {
    if (r.verdict == Verdict::kNotSupported || r.verdict == Verdict::kSkipped ||
        r.verdict == Verdict::kUntrusted) {
      ++groups[{r.suite, r.verdict, r.reason}];
    }
  }
  std::vector<NotAsserted> rows = record.not_asserted;
  for (const auto& [key, count] : groups) {
    const auto& [suite, verdict, reason] = key;
    rows.push_back({.subject = fmt::format("{}: {}", suite, plain_plural(count, "case")),
                    .reason = reason.empty() ? std::string(name_of(verdict))
                                             : fmt::format("{}: {}", name_of(verdict), reason)});
  }
  std::ranges::sort(rows, {},
                    [](const NotAsserted& row) { return std::tie(row.subject, row.reason); });
  return rows;
}

std::vector<Canary> sorted_canaries(std::vector<Canary> canaries) {
  std::ranges::sort(canaries, {}, [](const Canary& c) { return std::tie(c.name, c.observed); });
  return canaries;
}

std::vector<ArithmeticEntry> sorted_arithmetic(std::vector<ArithmeticEntry> rows) {
  std::ranges::sort(rows, {}, [](const ArithmeticEntry& row) {
    return std::tie(row.operation, row.formats, row.provider, row.arithmetic, row.shapes,
                    row.evidence);
  });
  return rows;
}

std::vector<AccuracyEntry> fold_accuracy(const std::vector<CaseResult>& results) {
  std::map<std::string, AccuracyEntry> rows;
  for (const CaseResult& r : results) {
    if (!r.accuracy) continue;
    AccuracyEntry& row = rows[r.rule];
    const std::uint64_t measured = row.farthest.results + r.accuracy->results;
    if (row.rule.empty() || r.accuracy->thousandths > row.farthest.thousandths)
      row = {.rule = r.rule, .case_name = r.name, .farthest = *r.accuracy};
    row.farthest.results = measured;
  }
  std::vector<AccuracyEntry> list;
  for (auto& [rule, row] : rows) list.push_back(std::move(row));
  return list;
}

// The required marks belong to the environment: requiring a mark changes no measurement.
nlohmann::json environment_of(const RunRecord& record) {
  nlohmann::json environment = record.environment;
  environment["required_marks"] = record.required_marks;
  return environment;
}

}  // namespace

std::uint64_t VerdictCounts::total() const {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

std::uint64_t VerdictCounts::died() const {
  std::uint64_t dead = 0;
  for (const Verdict verdict : suites::kAllVerdicts) {
    if (suites::died(verdict)) dead += (*this)[verdict];
  }
  return dead;
}

std::string operator_prefix(const ArithmeticEntry& entry) {
  return fmt::format("{}.{}.{}.", entry.operation, entry.formats, entry.provider);
}

const ArithmeticEntry* arithmetic_at(const std::vector<ArithmeticEntry>& found,
                                     std::string_view case_name) {
  for (const ArithmeticEntry& entry : found) {
    const std::string prefix = operator_prefix(entry);
    const auto is_shape = [&](const std::string& shape) {
      return case_name.substr(prefix.size()).starts_with(shape + ".");
    };
    if (case_name.starts_with(prefix) && std::ranges::any_of(entry.shapes, is_shape)) return &entry;
  }
  return nullptr;
}

std::string shapes_text(const ArithmeticEntry& entry) {
  const std::vector<std::string>& shapes = entry.shapes;
  if (shapes.empty()) return "-";
  if (shapes.size() == 1) return shapes[0];
  if (shapes.size() == 2) return fmt::format("{}, {}", shapes[0], shapes[1]);
  return fmt::format("{} and {} more", shapes[0], shapes.size() - 1);
}

Scorecard tally(const RunRecord& record) {
  const std::vector<CaseResult> results = sorted_by_name(record.results);
  Scorecard card;
  card.incomplete_reasons = why_incomplete(record, results);
  card.complete = card.incomplete_reasons.empty();
  card.suite = record.identity;
  card.device = record.device;
  card.environment = environment_of(record);
  card.expected_cases = record.expected_cases;
  count_cases(results, card);
  card.arithmetic = sorted_arithmetic(record.arithmetic);
  card.accuracy = fold_accuracy(results);
  card.canaries = sorted_canaries(record.canaries);
  card.findings = make_findings(results, device_text(card, "selector"), record.replay_options);
  card.throughput = make_throughput(record.throughput, results);
  card.roofs = find_roofs(card.throughput, results);
  card.fp16_operators =
      judge_fp16_operators(record.device, results, card.arithmetic, card.throughput, card.roofs);
  card.true_fp16 = judge_true_fp16(record, results, card.fp16_operators, card.roofs);
  card.marks = judge_marks(record, results, card);
  card.not_asserted = list_not_asserted(record, results);
  card.training_step = record.training_step;
  card.digest = digest_of(to_json(card));
  // Converts the card to text and back once, so that a report now sees exactly what it will read
  // from the file, including invalid texts of a driver.
  return scorecard_from_json(nlohmann::json::parse(print_json(card)));
}

int exit_code(const Scorecard& card, std::span<const std::string> required_marks) {
  const auto violation = suites::Standing::kViolation;
  if (count_findings(card, violation) + count_canaries(card, violation) > 0)
    return kExitDoesNotConform;
  if (total_verdicts(card).died() > 0) return kExitDoesNotConform;
  if (losses_in(card.environment, card.expected_cases).beyond()) return kExitDoesNotConform;
  if (!card.complete) return kExitIncomplete;
  const bool all_held = std::ranges::all_of(required_marks, [&](const std::string& id) {
    const Mark* mark = find_mark(card, id);
    return mark && mark->held;
  });
  return all_held ? kExitConforms : kExitDoesNotConform;
}

std::vector<std::string> missing_marks(const Scorecard& card) {
  auto ids = card.environment.value("required_marks", std::vector<std::string>());
  std::erase_if(ids, [&](const std::string& id) {
    const Mark* mark = find_mark(card, id);
    return mark != nullptr && mark->held;
  });
  return ids;
}

std::uint64_t count_findings(const Scorecard& card, suites::Standing standing) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      card.findings, [&](const Finding& finding) { return finding.result.standing == standing; }));
}

std::uint64_t count_canaries(const Scorecard& card, suites::Standing standing) {
  return static_cast<std::uint64_t>(
      std::ranges::count(card.canaries, name_of(standing), &Canary::standing));
}

VerdictCounts total_verdicts(const Scorecard& card) {
  VerdictCounts total;
  for (const CaseLine& line : card.cases) ++total[line.verdict];
  return total;
}

std::string_view suite_of(std::string_view case_name) {
  return case_name.substr(0, case_name.find('.'));
}

const Mark* find_mark(const Scorecard& card, std::string_view id) {
  const auto mark = std::ranges::find(card.marks, id, &Mark::id);
  return mark == card.marks.end() ? nullptr : &*mark;
}

const Finding* find_finding(const Scorecard& card, std::string_view id) {
  const auto finding = std::ranges::find(card.findings, id, &Finding::id);
  return finding == card.findings.end() ? nullptr : &*finding;
}

std::string device_text(const Scorecard& card, const char* key) {
  const auto value = card.device.find(key);
  return value != card.device.end() && value->is_string() ? value->get<std::string>()
                                                          : std::string();
}

}  // namespace halfmark::reports
