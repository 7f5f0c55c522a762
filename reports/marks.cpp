// SPDX-License-Identifier: Apache-2.0
#include "reports/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "reports/findings.hpp"

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

std::string cases(std::uint64_t count) {
  return fmt::format("{} case{}", count, count == 1 ? "" : "s");
}

// One sentence per way in which cases fell short, with the first case of each.
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

// Nothing is said of the device where it was not asked; empty for answers.
std::string_view why_not_covered(Verdict verdict) {
  if (verdict == Verdict::kNotSupported) return "not supported by the device";
  return verdict == Verdict::kSkipped ? "skipped" : "";
}

void weigh_cases(const std::vector<CaseResult>& results, const Selector& selects, Mark& mark) {
  std::map<std::string, Shortfall> shortfalls, uncovered;
  std::uint64_t passed = 0;
  for (const CaseResult& r : results) {
    if (!selects(r)) continue;
    if (r.verdict == Verdict::kPass) {
      ++passed;
      continue;
    }
    const std::string_view why_not = why_not_covered(r.verdict);
    auto& group = why_not.empty() ? shortfalls : uncovered;
    Shortfall& entry =
        group[why_not.empty() ? describe(r) : fmt::format("{}: {}", why_not, r.reason)];
    if (entry.count++ == 0) entry.first = r.name;
  }
  for (const auto& [what, entry] : shortfalls) {
    mark.reasons.push_back(fmt::format("{}, first {}: {}", cases(entry.count), entry.first, what));
  }
  if (passed == 0 && shortfalls.empty()) mark.reasons.push_back("no case of it ran to a pass");
  mark.scope.push_back(fmt::format("{} passed", cases(passed)));
  for (const auto& [why, entry] : uncovered)
    mark.scope.push_back(fmt::format("not covered: {} {}", cases(entry.count), why));
}

// A bound says that an operator is good enough, not what it computes.
void weigh_bounds(const std::vector<CaseResult>& results, Mark& mark) {
  Shortfall bounded;
  for (const CaseResult& r : results) {
    if (!is_library_operator(r) || r.verdict != Verdict::kPass || r.tier != "bounded") continue;
    if (bounded.count++ == 0) bounded.first = r.name;
  }
  if (bounded.count == 0) return;
  mark.reasons.push_back(fmt::format("{}, first {}: held to a bound, explained by no arithmetic",
                                     cases(bounded.count), bounded.first));
}

// What the probes of library operators found; the cases that it covers are weighed one by one.
void weigh_arithmetic(const std::vector<ArithmeticEntry>& arithmetic, Mark& mark) {
  for (const ArithmeticEntry& a : arithmetic) {
    const std::string who = fmt::format("{} {} by {}", a.operation, a.formats, a.provider);
    if (a.outcome != "named") {
      mark.reasons.push_back(fmt::format("no named arithmetic explains {}: {}", who, a.evidence));
    } else if (!a.contradicted_cases.empty()) {
      mark.reasons.push_back(fmt::format("{} was found for {} and does not explain {}, first {}",
                                         a.arithmetic, who, cases(a.contradicted_cases.size()),
                                         a.contradicted_cases[0]));
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
  if (silent) mark.scope.push_back(fmt::format("not covered: {} canaries gave no answer", silent));
}

// A part of the cases can prove a mark wrong, never right.
void weigh_selection(const RunIdentity& identity, std::string_view needed_suite, bool complete,
                     Mark& mark) {
  if (!complete) mark.reasons.push_back("the run is incomplete");
  if (!identity.filters.empty()) mark.reasons.push_back("a filter left cases out");
  if (!identity.shard.empty())
    mark.reasons.push_back(fmt::format("shard {} holds a part of the cases", identity.shard));
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

Mark judge_operators(const RunRecord& record, const std::vector<CaseResult>& results,
                     bool complete) {
  Mark mark = open_mark(
      "H3", "every library operator is explained by a named arithmetic, and repeatable", record);
  if (std::ranges::none_of(results, is_library_operator)) {
    mark.reasons.push_back("no library operator was measured");
    return mark;
  }
  weigh_selection(record.identity, "", complete, mark);
  weigh_cases(results, is_library_operator, mark);
  weigh_bounds(results, mark);
  weigh_arithmetic(record.arithmetic, mark);
  return mark;
}

// Every operator that is bound by its operations must be native, and none may be shown to be
// something else; what is bound by memory looks the same with fp32 inside. The words hold no time,
// and name no operator: which of them falls short may change from run to run on a busy machine.
Mark judge_fp16_mark(const RunRecord& record, const TrueFp16& true_fp16,
                     const std::vector<Fp16Operator>& operators) {
  Mark mark = open_mark("TF16", "fp16 is native", record);
  const auto decisive = [](const Fp16Operator& o) { return o.compute_bound; };
  const auto native = [](const Fp16Operator& o) { return o.kind == "native"; };
  if (true_fp16.kind != "consistent") {
    mark.reasons.push_back(true_fp16.verdict);
  } else if (std::ranges::none_of(operators, decisive)) {
    mark.reasons.push_back(
        "no time of an operator that is bound by its operations: bits alone do not prove it");
  } else if (!std::ranges::all_of(operators, [&](const Fp16Operator& o) {
               return native(o) || (!decisive(o) && o.kind == "undecided");
             })) {
    mark.reasons.push_back(
        "numerics, time and traffic do not all say native: fp16_operators has each verdict");
  } else if (std::ranges::any_of(operators, std::not_fn(native))) {
    mark.scope.push_back(
        "not covered: operators that are bound by memory, where fp32 inside looks the same");
  }
  return mark;
}

// Conversions need storage only.
bool is_fp16_arithmetic(const CaseResult& r) {
  const std::string operation = operation_of(r);
  return is_arithmetic(r) && operation.starts_with("fp16.") && !operation.starts_with("fp16.to_");
}

struct Offer {
  bool stated = false, offered = false;
  std::string evidence;
};

Offer offer_of(const nlohmann::json& device, std::string_view capability, TrueFp16& told) {
  Offer offer;
  const auto promises = device.find("promises");
  if (promises == device.end()) return offer;
  for (const nlohmann::json& promise : *promises) {
    if (promise.value("capability", "") != capability) continue;
    offer = {.stated = true,
             .offered = promise.value("offered", false),
             .evidence = promise.value("evidence", "")};
    told.evidence.push_back(
        {fmt::format("promise {}", capability),
         fmt::format("{}: {}", offer.offered ? "offered" : "not offered", offer.evidence)});
  }
  return offer;
}

void add_canaries(const std::vector<Canary>& canaries, TrueFp16& told) {
  for (const Canary& canary : canaries) {
    if (!canary.name.starts_with("fp16.")) continue;
    told.evidence.push_back({fmt::format("canary {}", canary.name),
                             fmt::format("{} ({})", canary.observed, canary.standing)});
  }
}

}  // namespace

TrueFp16 judge_true_fp16(const RunRecord& record, const std::vector<CaseResult>& results) {
  TrueFp16 told;
  const Offer storage = offer_of(record.device, "fp16.storage", told);
  const Offer arithmetic = offer_of(record.device, "fp16.arithmetic", told);
  add_canaries(record.canaries, told);
  std::uint64_t passed = 0, failed = 0;
  for (const CaseResult& r : results) {
    if (!is_fp16_arithmetic(r)) continue;
    passed += r.verdict == Verdict::kPass;
    failed += r.verdict != Verdict::kPass && r.verdict != Verdict::kNotSupported &&
              r.verdict != Verdict::kSkipped;
  }
  told.evidence.push_back({"numerics", fmt::format("fp16 arithmetic: {} passed, {} did not",
                                                   cases(passed), cases(failed))});
  if (!arithmetic.offered) {
    const bool stores = storage.offered || !storage.stated;
    told.kind = stores ? "storage-only" : "not-offered";
    told.verdict = stores ? "storage only: the driver offers no fp16 arithmetic"
                          : "none: the driver offers neither fp16 storage nor fp16 arithmetic";
  } else if (failed > 0) {
    told.kind = "contradicted";
    told.verdict =
        fmt::format("contradicted: fp16 arithmetic is offered, but {} of {} did not pass", failed,
                    cases(passed + failed));
  } else if (passed == 0) {
    told.kind = "undecided";
    told.verdict = "undecided: fp16 arithmetic is offered, but no case of it gave an answer";
  } else {
    told.kind = "consistent";
    told.verdict =
        "consistent: every bit agrees with native fp16; whether it is also fast and moves half "
        "the bytes is said of each operator";
  }
  return told;
}

std::vector<Mark> judge_marks(const RunRecord& record, const std::vector<CaseResult>& results,
                              bool complete, const TrueFp16& true_fp16,
                              const std::vector<Fp16Operator>& fp16_operators) {
  std::vector<Mark> marks = {judge_arithmetic(record, results, complete),
                             judge_kernels(record, results, complete),
                             judge_operators(record, results, complete),
                             judge_fp16_mark(record, true_fp16, fp16_operators)};
  for (Mark& mark : marks) {
    mark.reasons.insert(mark.reasons.begin(), record.mark_bars.begin(), record.mark_bars.end());
    mark.held = mark.reasons.empty();
  }
  return marks;
}

}  // namespace halfmark::reports
