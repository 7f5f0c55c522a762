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
  const std::vector<std::string> missing = missing_marks(card);
  if (card.complete && !missing.empty())
    parts.push_back(fmt::format("without the required {} {}",
                                missing.size() == 1 ? "mark" : "marks", joined(missing, ", ")));
  const auto held = held_marks(card);
  const std::string marks = !held.empty()   ? fmt::format("marks held: {}", joined(held, ", "))
                            : card.complete ? "no mark held"
                                            : "no mark can be held";
  const std::string found = joined(parts, ", ");
  switch (exit_code(card, missing)) {
    case kExitConforms:
      return fmt::format("Conforms: {}; {}.", found, marks);
    case kExitIncomplete:
      return fmt::format("Incomplete; so far: {}; {}.", found, marks);
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
