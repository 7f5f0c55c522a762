// SPDX-License-Identifier: Apache-2.0
#include "reports/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "reports/digest.hpp"
#include "reports/findings.hpp"
#include "reports/incidents.hpp"
#include "reports/plain_plural.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;
using Selector = std::function<bool(const CaseResult&)>;

bool is_arithmetic(const CaseResult& r) { return r.suite == "arithmetic"; }

bool is_specified_kernel(const CaseResult& r) {
  return !is_arithmetic(r) &&
         (r.tier == "specified" || (r.provider == "portable" && r.tier == "exact"));
}

bool is_library_operator(const CaseResult& r) {
  return !is_arithmetic(r) && r.provider != "portable";
}

// A step of training: kernels around products that the suite gemm names.
bool is_step(const CaseResult& r) { return r.suite == "loss_scaled_backward"; }

// One sentence per kind of shortfall, with the first case of each.
struct Shortfall {
  std::uint64_t count = 0;
  std::string first;
};

std::string describe(const CaseResult& r) {
  if (r.verdict != Verdict::kFail) {
    return r.reason.empty() ? std::string(name_of(r.verdict))
                            : fmt::format("{}: {}", name_of(r.verdict), r.reason);
  }
  const bool permitted = r.standing == suites::Standing::kDeviation;
  return fmt::format("{} rule {} (class {})", permitted ? "deviates from" : "breaks", r.rule,
                     r.finding_class.empty() ? "unexplained" : r.finding_class);
}

// A case that the device did not have to answer says nothing about it; empty for answers.
std::string_view why_not_covered(Verdict verdict) {
  if (verdict == Verdict::kNotSupported) return "not supported";
  return verdict == Verdict::kSkipped ? "skipped" : "";
}

void weigh_cases(const std::vector<CaseResult>& results, const Selector& selects, Mark& mark) {
  std::map<std::string, Shortfall> shortfalls;
  std::map<std::pair<std::string_view, std::string>, std::uint64_t> uncovered;
  std::uint64_t passed = 0;
  for (const CaseResult& r : results) {
    if (!selects(r)) continue;
    if (r.verdict == Verdict::kPass) {
      ++passed;
      continue;
    }
    const std::string_view why_not = why_not_covered(r.verdict);
    if (!why_not.empty()) {
      ++uncovered[{why_not, r.reason}];
      continue;
    }
    Shortfall& entry = shortfalls[describe(r)];
    if (entry.count++ == 0) entry.first = r.name;
  }
  for (const auto& [what, entry] : shortfalls) {
    mark.reasons.push_back(
        fmt::format("{}, first {}: {}", plain_plural(entry.count, "case"), entry.first, what));
  }
  if (passed == 0 && shortfalls.empty()) mark.reasons.push_back("no case passed");
  mark.scope.push_back(fmt::format("{} passed", plain_plural(passed, "case")));
  for (const auto& [why, count] : uncovered)
    mark.scope.push_back(
        fmt::format("{} ({}): {}", why.first, plain_plural(count, "case"), why.second));
}

// A bound shows that an operator is accurate enough, not what it computes.
void weigh_bounds(const std::vector<CaseResult>& results, Mark& mark) {
  Shortfall bounded;
  std::uint64_t steps = 0;
  for (const CaseResult& r : results) {
    if (!is_library_operator(r) || r.verdict != Verdict::kPass || r.tier != "bounded") continue;
    if (is_step(r))
      ++steps;
    else if (bounded.count++ == 0)
      bounded.first = r.name;
  }
  if (steps > 0) {
    mark.scope.push_back(
        fmt::format("{} of a training step: each of its products lies within a bound, and the rest "
                    "follows from them",
                    plain_plural(steps, "case")));
  }
  if (bounded.count == 0) return;
  mark.reasons.push_back(
      fmt::format("{}, first {}: within a bound, but not explained by any arithmetic",
                  plain_plural(bounded.count, "case"), bounded.first));
}

// Weighs what the probes of library operators found; the cases are weighed separately.
void weigh_arithmetic(const std::vector<ArithmeticEntry>& arithmetic, Mark& mark) {
  for (const ArithmeticEntry& a : arithmetic) {
    const std::string who = fmt::format("{} {} by {}", a.operation, a.formats, a.provider);
    if (a.outcome != "named") {
      const std::string where = a.shapes.empty() ? "" : " at " + shapes_text(a);
      mark.reasons.push_back(
          fmt::format("no named arithmetic explains {}{}: {}", who, where, a.evidence));
    } else if (!a.contradicted_cases.empty()) {
      mark.reasons.push_back(
          fmt::format("{} was found for {} and does not explain {}, first {}", a.arithmetic, who,
                      plain_plural(a.contradicted_cases.size(), "case"), a.contradicted_cases[0]));
    } else {
      mark.scope.push_back(fmt::format("{} is {}", who, a.arithmetic));
    }
  }
}

void weigh_canaries(const std::vector<Canary>& canaries, Mark& mark) {
  if (canaries.empty()) mark.reasons.push_back("no preflight canary ran");
  std::uint64_t silent = 0;
  for (const Canary& canary : canaries) {
    silent += canary.standing == "unknown";
    if (canary.standing == "ok" || canary.standing == "unknown") continue;
    mark.reasons.push_back(
        fmt::format("canary {} is a {}: {}", canary.name, canary.standing, canary.observed));
  }
  if (silent > 0)
    mark.scope.push_back(fmt::format("not covered: {} {} gave no answer", silent,
                                     silent == 1 ? "canary" : "canaries"));
}

// A subset of the cases can refute a mark, never prove it.
void weigh_selection(const RunIdentity& identity, std::string_view needed_suite, bool complete,
                     Mark& mark) {
  if (!complete) mark.reasons.push_back("the run is incomplete");
  if (!identity.filters.empty()) mark.reasons.push_back("a filter excluded cases");
  if (!identity.shard.empty())
    mark.reasons.push_back(fmt::format("shard {} has only part of the cases", identity.shard));
  if (identity.suites.empty()) return;
  if (needed_suite.empty()) {
    mark.reasons.push_back("only some suites were selected");
  } else if (std::ranges::count(identity.suites, needed_suite) == 0) {
    mark.reasons.push_back(fmt::format("suite {} was not selected", needed_suite));
  }
}

Mark open_mark(std::string_view id, std::string_view title, const RunRecord& record) {
  Mark mark;
  mark.id = id;
  mark.title = title;
  mark.level = record.identity.level;
  return mark;
}

Mark judge_arithmetic(const RunRecord& record, const std::vector<CaseResult>& results,
                      bool complete) {
  Mark mark = open_mark("H1", "elementary operations and conversions are exact", record);
  weigh_selection(record.identity, "arithmetic", complete, mark);
  weigh_cases(results, is_arithmetic, mark);
  weigh_canaries(record.canaries, mark);
  return mark;
}

Mark judge_kernels(const RunRecord& record, const std::vector<CaseResult>& results, bool complete) {
  Mark mark = open_mark("H2", "every specified kernel is exact", record);
  weigh_selection(record.identity, "", complete, mark);
  weigh_cases(results, is_specified_kernel, mark);
  return mark;
}

Mark judge_operators(const RunRecord& record, const std::vector<CaseResult>& results, bool complete,
                     const std::vector<ArithmeticEntry>& arithmetic) {
  Mark mark = open_mark(
      "H3", "every library operator is explained by a named arithmetic, and repeatable", record);
  if (std::ranges::none_of(results, is_library_operator)) {
    mark.reasons.push_back("no library operator was measured");
    return mark;
  }
  weigh_selection(record.identity, "", complete, mark);
  weigh_cases(results, is_library_operator, mark);
  weigh_bounds(results, mark);
  weigh_arithmetic(arithmetic, mark);
  return mark;
}

constexpr double kNativeGain = 1.5;

// Why an operation is not enough for TF16; empty when it is.
std::string why_short(const Fp16Operation& o, bool clocks_changed) {
  if (o.kind != "native") {
    const std::string gain = o.gain ? fmt::format(", {:.2g} x of fp32", *o.gain) : "";
    return fmt::format("{}: {}{}", o.operation, o.sentence.substr(0, o.sentence.find(':')), gain);
  }
  if (!o.gain) {
    return fmt::format("{}: native, and no rate of fp32 to compare with{}", o.operation,
                       clocks_changed ? ", since clocks changed during the run" : "");
  }
  if (*o.gain >= kNativeGain) return {};
  return fmt::format("{}: native, gain {:.3g} x is below {} x", o.operation, *o.gain, kNativeGain);
}

void weigh_operations(const TrueFp16& true_fp16, Mark& mark) {
  const bool clocks_changed = std::ranges::find(true_fp16.evidence, "clocks", &Evidence::source) !=
                              true_fp16.evidence.end();
  for (const std::string_view name : {"add", "mul", "fma", "gemm"}) {
    const auto operation = std::ranges::find(true_fp16.operations, name, &Fp16Operation::operation);
    if (operation == true_fp16.operations.end()) {
      mark.reasons.push_back(fmt::format("{}: no time counts", name));
      continue;
    }
    const std::string reason = why_short(*operation, clocks_changed);
    if (!reason.empty())
      mark.reasons.push_back(reason);
    else
      mark.scope.push_back(fmt::format("{}: native, {:.3g} x of fp32 ({})", name, *operation->gain,
                                       operation->width));
  }
}

// Depends on bits and times: its texts contain numbers that may differ between runs.
Mark judge_fp16_mark(const RunRecord& record, const std::vector<CaseResult>& results, bool complete,
                     const TrueFp16& true_fp16) {
  Mark mark = open_mark("TF16", "fp16 is native, and gains", record);
  if (true_fp16.operations.empty()) {
    mark.reasons.push_back(true_fp16.verdict);
    return mark;
  }
  RunIdentity identity = record.identity;
  identity.suites.clear();  // operations that were left out are named one by one
  weigh_selection(identity, "", complete, mark);
  if (const Fp16Cases counted = count_fp16_cases(results); counted.failed > 0)
    mark.reasons.push_back(
        fmt::format("{} of fp16 arithmetic did not pass", plain_plural(counted.failed, "case")));
  weigh_operations(true_fp16, mark);
  return mark;
}

bool lacks_only_times(const Scorecard& card) {
  return card.incomplete_reasons.size() == 1 &&
         card.incomplete_reasons.front() == kEndedMeasuring &&
         card.cases.size() == card.expected_cases;
}

}  // namespace

bool may_hold(const Scorecard& card, std::string_view mark) {
  return card.complete || (mark != kTimedMark && lacks_only_times(card));
}

std::vector<Mark> judge_marks(const RunRecord& record, const std::vector<CaseResult>& results,
                              const Scorecard& card) {
  std::vector<Mark> marks = {
      judge_arithmetic(record, results, may_hold(card, "H1")),
      judge_kernels(record, results, may_hold(card, "H2")),
      judge_operators(record, results, may_hold(card, "H3"), card.arithmetic),
      judge_fp16_mark(record, results, may_hold(card, "TF16"), card.true_fp16)};
  const Losses losses = losses_in(record.environment, record.expected_cases);
  for (Mark& mark : marks) {
    mark.reasons.insert(mark.reasons.begin(), record.mark_bars.begin(), record.mark_bars.end());
    if (losses.beyond()) mark.reasons.insert(mark.reasons.begin(), sentence(losses));
    mark.held = mark.reasons.empty();
  }
  return marks;
}

}  // namespace halfmark::reports
