// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "reports/incidents.hpp"
#include "reports/throughput.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

std::vector<std::string> held_marks(const Scorecard& card) {
  std::vector<std::string> ids;
  for (const Mark& mark : card.marks) {
    if (mark.held) ids.push_back(mark.id);
  }
  return ids;
}

// What the probes of one operation showed for subnormal results and subnormal operands; absent if
// not probed.
struct Seen {
  std::optional<bool> results_kept, operands_kept;
};
using SeenByFormat = std::map<std::string, std::map<std::string, Seen>>;

SeenByFormat subnormal_probes(const Scorecard& card) {
  static constexpr std::string_view kInfix = ".subnormals.", kOperand = ".operand";
  SeenByFormat formats;
  for (const Canary& canary : card.canaries) {
    const std::size_t at = canary.name.find(kInfix);
    const bool kept = canary.observed.starts_with("kept");
    if (at == std::string::npos || (!kept && !canary.observed.starts_with("flushed"))) continue;
    std::string operation = canary.name.substr(at + kInfix.size());
    const bool of_operand = operation.ends_with(kOperand);
    if (of_operand) operation.resize(operation.size() - kOperand.size());
    Seen& seen = formats[canary.name.substr(0, at)][operation];
    (of_operand ? seen.operands_kept : seen.results_kept) = kept;
  }
  return formats;
}

std::vector<std::string> operations_that(bool keep, const std::map<std::string, Seen>& operations) {
  std::vector<std::string> names;
  for (const auto& [name, seen] : operations) {
    const bool results = seen.results_kept == keep, operands = seen.operands_kept == keep;
    const bool differ = seen.results_kept && seen.operands_kept && results != operands;
    if (!results && !operands) continue;
    names.push_back(differ ? name + (results ? " results" : " operands") : name);
  }
  return names;
}

std::string name_or(const std::string& name, const char* otherwise) {
  return name.empty() ? otherwise : name;
}

std::string bits(const std::string& hex, const std::string& value) {
  return value.empty() ? hex : fmt::format("{} ({})", hex, value);
}

}  // namespace

std::string headline(const Scorecard& card) {
  const std::uint64_t violations = count_findings(card, suites::Standing::kViolation);
  std::vector<std::string> parts = {violations ? plural(violations, "violation") : "no violation"};
  if (const std::uint64_t broken = count_canaries(card, suites::Standing::kViolation)) {
    parts.push_back(plural(broken, "canary probe") +
                    (broken == 1 ? " that breaks a promise" : " that break a promise"));
  }
  if (const std::uint64_t dead = total_verdicts(card).died())
    parts.push_back(plural(dead, "case") +
                    " that crashed, hung, lost the device or ended in error");
  if (const Losses losses = losses_in(card.environment, card.expected_cases); losses.beyond())
    parts.push_back(sentence(losses));
  if (const std::uint64_t permitted = count_findings(card, suites::Standing::kDeviation)) {
    parts.push_back(plural(permitted, "deviation") + " that the device's promises permit");
  }
  const auto held = held_marks(card);
  const std::string marks =
      held.empty() ? "no mark held" : fmt::format("marks held: {}", joined(held, ", "));
  const std::string found = joined(parts, ", ");
  switch (exit_code(card, {})) {
    case kExitConforms:
      return fmt::format("Conforms: {}; {}.", found, marks);
    case kExitIncomplete:
      return fmt::format("Incomplete; so far: {}; no mark can be held.", found);
    default:
      return fmt::format("Does not conform: {}; {}.", found, marks);
  }
}

std::string provenance_line(const Scorecard& card) {
  std::vector<std::string> parts;
  for (const char* key : {"vendor", "platform"}) {
    const std::string text = device_text(card, key);
    if (!text.empty() && (parts.empty() || parts.back() != text)) parts.push_back(text);
  }
  if (const std::string driver = device_text(card, "driver_version"); !driver.empty()) {
    parts.push_back("driver " + driver);
  }
  return joined(parts, ", ");
}

std::string device_line(const Scorecard& card) {
  const std::string name = name_or(device_text(card, "name"), "unnamed device");
  const std::string provenance = provenance_line(card);
  return provenance.empty() ? name : fmt::format("{} ({})", name, provenance);
}

std::string asked_line(const Scorecard& card) {
  const RunIdentity& asked = card.suite;
  std::string line = fmt::format("version {}, contract {}, level {}, seed {}", asked.version,
                                 asked.contract_revision, asked.level, asked.seed);
  if (!asked.suites.empty()) line += ", only suites " + joined(asked.suites, ", ");
  if (!asked.filters.empty()) line += ", only cases matching " + joined(asked.filters, ", ");
  if (!asked.shard.empty()) line += ", shard " + asked.shard;
  return line;
}

std::vector<std::string> subnormal_lines(const Scorecard& card) {
  std::vector<std::string> lines;
  for (const auto& [format, operations] : subnormal_probes(card)) {
    std::vector<std::string> parts;
    if (const auto kept = operations_that(true, operations); !kept.empty()) {
      parts.push_back("kept by " + joined(kept, ", "));
    }
    if (const auto flushed = operations_that(false, operations); !flushed.empty()) {
      parts.push_back("flushed by " + joined(flushed, ", "));
    }
    lines.push_back(fmt::format("{} subnormals: {}", format, joined(parts, "; ")));
  }
  return lines;
}

Outcomes outcomes_of(const Scorecard& card, std::string_view suite) {
  VerdictCounts counts;
  for (const SuiteTally& row : card.suites) {
    if (row.name == suite) counts = row.verdicts;
  }
  if (suite.empty()) counts = total_verdicts(card);
  Outcomes outcomes{.cases = counts.total(),
                    .pass = counts[suites::Verdict::kPass],
                    .not_supported = counts[suites::Verdict::kNotSupported]};
  for (const Finding& f : card.findings) {
    const bool deviates = f.result.verdict == suites::Verdict::kFail &&
                          f.result.standing == suites::Standing::kDeviation;
    outcomes.deviations += deviates && (suite.empty() || f.result.suite == suite);
  }
  const std::uint64_t fail = counts[suites::Verdict::kFail];
  outcomes.violations = fail - outcomes.deviations;
  outcomes.other = outcomes.cases - outcomes.pass - fail - outcomes.not_supported;
  return outcomes;
}

namespace {

std::vector<const suites::Explanation*> exact_explanations(const Finding& finding) {
  std::vector<const suites::Explanation*> exact;
  for (const suites::Explanation& e : finding.result.explanations) {
    if (e.exact(finding.result.mismatches)) exact.push_back(&e);
  }
  return exact;
}

}  // namespace

std::string gist_of(const Finding& finding) {
  const suites::Explanation* lead = leading_explanation(finding);
  const std::size_t exact = exact_explanations(finding).size();
  if (exact > 1) return fmt::format("{}, or {}", lead->sentence, plural(exact - 1, "other cause"));
  if (exact == 1) return lead->sentence;
  return std::string(meaning_of(finding.result.finding_class));
}

namespace {

// A reason that names an operator: "no library of the device offers the operator 'sum': ..."
struct OfOperator {
  std::string before, name, after;
};

OfOperator of_operator(const std::string& reason) {
  constexpr std::string_view kMark = "the operator '";
  const std::size_t at = reason.find(kMark);
  const std::size_t end = at == std::string::npos ? at : reason.find('\'', at + kMark.size());
  if (end == std::string::npos) return {reason, "", ""};
  const std::size_t name = at + kMark.size();
  return {reason.substr(0, at), reason.substr(name, end - name), reason.substr(end + 1)};
}

std::string with_operators(const OfOperator& text, const std::set<std::string>& names) {
  if (text.name.empty()) return text.before;
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  return fmt::format("{}the operator{} {}{}", text.before, names.size() > 1 ? "s" : "",
                     joined(quoted, ", "), text.after);
}

}  // namespace

std::vector<Unanswered> unanswered(const Scorecard& card) {
  struct Group {
    OfOperator text;
    std::set<std::string> operators;
    Unanswered cases;
  };
  std::map<std::tuple<suites::Verdict, std::string, std::string, bool>, Group> groups;
  for (const CaseLine& line : card.cases) {
    if (line.verdict == suites::Verdict::kPass || line.verdict == suites::Verdict::kFail) continue;
    OfOperator text = of_operator(line.reason);
    Group& group = groups[{line.verdict, text.before, text.after, text.name.empty()}];
    group.operators.insert(text.name);
    group.text = std::move(text);
    group.cases.verdict = line.verdict;
    if (group.cases.count++ == 0) group.cases.first = line.name;
  }
  std::vector<Unanswered> list;
  for (auto& [key, group] : groups) {
    group.cases.reason = with_operators(group.text, group.operators);
    list.push_back(std::move(group.cases));
  }
  std::ranges::sort(list, [](const Unanswered& a, const Unanswered& b) {
    return std::tie(b.verdict, b.count, a.reason) < std::tie(a.verdict, a.count, b.reason);
  });
  return list;
}

std::string words_of(suites::Verdict verdict) {
  std::string words(name_of(verdict));
  std::ranges::replace(words, '-', ' ');
  return words;
}

std::string wrong_line(const Finding& finding) {
  const suites::CaseResult& r = finding.result;
  // For elements that vary between runs or were never written, the reason gives the numbers.
  if (r.elements == 0 || r.mismatches == 0) return {};
  return fmt::format(
      "{} of {} wrong ({} %)", grouped(r.mismatches), plural(r.elements, "element"),
      significant(100.0 * static_cast<double>(r.mismatches) / static_cast<double>(r.elements)));
}

std::string where_line(const Finding& finding) {
  std::vector<std::string> parts;
  for (const suites::Geometry& g : finding.result.geometry) {
    if (g.patterns.empty()) continue;
    const std::string what = joined(g.patterns, "; ");
    parts.push_back(finding.result.geometry.size() > 1 ? fmt::format("{}: {}", g.tensor, what)
                                                       : what);
  }
  return joined(parts, ". ");
}

std::string reduction_line(const Finding& finding) {
  if (!finding.result.reduction) return {};
  const suites::Reduction& reduction = *finding.result.reduction;
  std::vector<std::string> operands;
  for (const suites::ReducedTensor& t : reduction.tensors) {
    for (std::size_t i = 0; i < t.indices.size(); ++i) {
      operands.push_back(
          fmt::format("{}[{}] = {}", t.name, t.indices[i], bits(t.hex[i], t.values[i])));
    }
  }
  constexpr std::size_t kMostTold = 12;
  if (const std::size_t count = operands.size(); count > kMostTold) {
    operands.resize(kMostTold);
    operands.push_back(fmt::format("and {} more", count - kMostTold));
  }
  if (operands.empty()) {
    return fmt::format("{} with {}", reduction.case_name,
                       reduction.tensors.empty() ? "its own operands" : "all operands zero");
  }
  return fmt::format("{} with {}, all else zero", reduction.case_name, joined(operands, ", "));
}

std::string operands_line(const suites::Element& element) {
  std::vector<std::string> operands;
  for (const suites::OperandText& o : element.operands) {
    operands.push_back(fmt::format("{}={}", o.label, bits(o.hex, o.value)));
  }
  const std::string place = fmt::format("{}[{}]", element.tensor, element.index);
  return operands.empty() ? place : fmt::format("{}: {}", place, joined(operands, ", "));
}

std::string outcome_line(const suites::Element& element) {
  const std::string distance =
      element.ulps == 0 ? "only the sign of zero differs" : ulps_text(element.ulps);
  return fmt::format("expected {}, got {}: {}", bits(element.expected_hex, element.expected_value),
                     bits(element.actual_hex, element.actual_value), distance);
}

std::string explanation_line(const suites::Explanation& explanation, std::uint64_t wrong) {
  if (explanation.exact(wrong)) {
    return fmt::format("{}: exactly, {}", explanation.sentence,
                       wrong == 1 ? "in its only wrong element"
                                  : fmt::format("in all {} wrong elements", grouped(wrong)));
  }
  const std::string but = explanation.contradicted
                              ? fmt::format(", but it contradicts {} of the device's result",
                                            plural(explanation.contradicted, "element"))
                              : "";
  return fmt::format("{}: {} % of the wrong elements{}", explanation.sentence,
                     explained_percent(explanation, wrong), but);
}

std::string experiments_line(const suites::Experiments& experiments) {
  const auto is_wrong = [](const suites::Question& q) { return q.wrong > 0; };
  const auto wrong = std::ranges::count_if(experiments.asked, is_wrong);
  std::string line = fmt::format("asked again on {}, wrong on {} of them",
                                 plural(experiments.asked.size(), "other data set"), wrong);
  if (experiments.asked.empty()) line = "not tested on other data";
  if (!experiments.excluded.empty())
    line += fmt::format("; {} excluded", plural(experiments.excluded.size(), "explanation"));
  return fmt::format("{}; {}", line, experiments.end);
}

namespace {

std::string extent_of_cause(std::uint64_t wrong) {
  return wrong == 1 ? "in its only wrong element"
                    : fmt::format("in all {} wrong elements", grouped(wrong));
}

}  // namespace

std::string cause_line(const Finding& finding) {
  constexpr std::size_t kMostNamed = 3;
  const std::vector<const suites::Explanation*> exact = exact_explanations(finding);
  const suites::Explanation* lead = leading_explanation(finding);
  if (exact.size() < 2)
    return lead == nullptr ? "" : explanation_line(*lead, finding.result.mismatches);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(exact.size(), kMostNamed); ++i)
    parts.push_back(exact[i]->sentence);
  if (exact.size() > kMostNamed) parts.push_back(fmt::format("{} more", exact.size() - kMostNamed));
  return fmt::format("{}: each exactly, {}", joined(parts, "; "),
                     extent_of_cause(finding.result.mismatches));
}

std::string_view cause_label(const Finding& finding) {
  const std::size_t exact = exact_explanations(finding).size();
  return exact == 0 ? "nearest" : exact == 1 ? "explained by" : "one of";
}

std::string explained_share(const ArithmeticEntry& entry) {
  return fmt::format("{} of {}", grouped(entry.explained_cases),
                     grouped(entry.explained_cases + entry.contradicted_cases.size()));
}

std::string arithmetic_line(const ArithmeticEntry& entry) {
  const std::string who = entry.library.empty() ? "" : fmt::format(" ({})", entry.library);
  const std::string where = entry.shapes.empty() ? "" : fmt::format(" at {}", shapes_text(entry));
  return fmt::format(
      "{} {} by {}{}{}: {}; {}", entry.operation, entry.formats, entry.provider, who, where,
      entry.arithmetic == "none" ? "no named arithmetic explains it" : entry.arithmetic,
      entry.evidence);
}

const ArithmeticEntry* arithmetic_behind(const Scorecard& card, const Finding& finding) {
  const std::string& name = finding.result.name;
  const ArithmeticEntry* first = nullptr;
  for (const ArithmeticEntry& entry : card.arithmetic) {
    const std::string prefix =
        fmt::format("{}.{}.{}.", entry.operation, entry.formats, entry.provider);
    if (!name.starts_with(prefix)) continue;
    for (const std::string& shape : entry.shapes) {
      if (name.compare(prefix.size(), shape.size() + 1, shape + ".") == 0) return &entry;
    }
    if (first == nullptr) first = &entry;
  }
  return first;
}

std::string ulps_text(const suites::Accuracy& accuracy) {
  return fmt::format("{}.{:03}", grouped(accuracy.thousandths / 1000), accuracy.thousandths % 1000);
}

std::string allowed_text(const suites::Accuracy& accuracy) {
  return grouped(accuracy.allowed_halves / 2) + (accuracy.allowed_halves % 2 == 0 ? "" : ".5");
}

std::string farthest_line(const suites::Accuracy& accuracy) {
  std::string operands;
  for (const suites::OperandText& o : accuracy.farthest.operands)
    operands += fmt::format("{}{}={} ({})", operands.empty() ? "" : ", ", o.label, o.hex, o.value);
  return fmt::format("{}: expected {}, got {}", operands, accuracy.farthest.expected_hex,
                     accuracy.farthest.actual_hex);
}

std::string rate_text(const ThroughputRow& row) {
  if (row.run.flops == 0) return {};
  if (row.run.declared_gflops <= 0) return significant(gigaflops(row));
  return fmt::format("{} ({} % of declared)", significant(gigaflops(row)),
                     significant(100 * of_declared(row)));
}

std::string kernel_text(const ThroughputRow& row) {
  const ThroughputRun& run = row.run;
  return fmt::format("{} {} {} {} {}{}", run.operation, run.formats, run.provider, run.shape,
                     run.fill, is_again(run) ? " (timed again)" : "");
}

std::string gain_line(const ThroughputRow& row) {
  if (!row.gain) return {};
  return fmt::format("fp16 runs at {} x the rate of fp32 (band {}): {}",
                     significant(row.gain->ratio), row.gain->band, row.gain->sentence);
}

std::string casts_line(const ThroughputRow& row) {
  if (!row.casts) return {};
  return fmt::format("casting its operands takes {:.3g} ms and moves {} bytes",
                     row.casts->ns * 1e-6, grouped(row.casts->bytes));
}

}  // namespace halfmark::reports
