// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/story.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

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

struct SubnormalProbe {
  std::string format, operation;
  bool kept;
};

std::optional<SubnormalProbe> subnormal_probe(const Canary& canary) {
  static constexpr std::string_view kInfix = ".subnormals.";
  const std::size_t at = canary.name.find(kInfix);
  const bool kept = canary.observed.starts_with("kept");
  if (at == std::string::npos || (!kept && !canary.observed.starts_with("flushed"))) return std::nullopt;
  return SubnormalProbe{
      .format = canary.name.substr(0, at), .operation = canary.name.substr(at + kInfix.size()), .kept = kept};
}

struct KeptAndFlushed {
  std::vector<std::string> kept, flushed;
};

std::string name_or(const std::string& name, const char* otherwise) { return name.empty() ? otherwise : name; }

std::string bits(const std::string& hex, const std::string& value) {
  return value.empty() ? hex : fmt::format("{} ({})", hex, value);
}

}  // namespace

std::string headline(const Scorecard& card) {
  const std::uint64_t violations = count_violations(card), deviations = count_deviations(card);
  const std::string permitted =
      deviations ? fmt::format(", {} that the device's promises permit", plural(deviations, "deviation")) : "";
  const auto held = held_marks(card);
  const std::string marks = held.empty() ? "no mark held" : fmt::format("marks held: {}", joined(held, ", "));
  switch (exit_code(card, {})) {
    case kExitConforms: return fmt::format("Conforms: no violation{}; {}.", permitted, marks);
    case kExitIncomplete: return fmt::format("Incomplete: no violation so far{}; no mark can be held.", permitted);
    default: break;
  }
  const VerdictCounts total = total_verdicts(card);
  const std::uint64_t dead = total[suites::Verdict::kError] + total[suites::Verdict::kCrash] +
                             total[suites::Verdict::kHang] + total[suites::Verdict::kDeviceLost];
  const std::string died = dead ? fmt::format(", {} without an answer", plural(dead, "case")) : "";
  return fmt::format("Does not conform: {}{}{}; {}.", plural(violations, "violation"), died, permitted, marks);
}

std::string device_line(const Scorecard& card) {
  std::vector<std::string> parts;
  for (const char* key : {"vendor", "platform"}) {
    const std::string text = device_text(card, key);
    if (!text.empty() && (parts.empty() || parts.back() != text)) parts.push_back(text);
  }
  if (const std::string driver = device_text(card, "driver_version"); !driver.empty()) {
    parts.push_back("driver " + driver);
  }
  const std::string name = name_or(device_text(card, "name"), "unnamed device");
  return parts.empty() ? name : fmt::format("{} ({})", name, joined(parts, ", "));
}

std::string asked_line(const Scorecard& card) {
  const RunIdentity& asked = card.suite;
  std::string line = fmt::format("version {}, contract {}, level {}, seed {}", asked.version, asked.contract_revision,
                                 asked.level, asked.seed);
  if (!asked.suites.empty()) line += ", only suites " + joined(asked.suites, ", ");
  if (!asked.filters.empty()) line += ", only cases like " + joined(asked.filters, ", ");
  if (!asked.shard.empty()) line += ", shard " + asked.shard;
  return line;
}

std::vector<std::string> subnormal_lines(const Scorecard& card) {
  std::map<std::string, KeptAndFlushed> formats;
  for (const Canary& canary : card.canaries) {
    if (const auto probe = subnormal_probe(canary)) {
      KeptAndFlushed& seen = formats[probe->format];
      (probe->kept ? seen.kept : seen.flushed).push_back(probe->operation);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [format, seen] : formats) {
    std::string line = format + " subnormals: ";
    if (!seen.kept.empty()) line += "kept by " + joined(seen.kept, ", ");
    if (!seen.kept.empty() && !seen.flushed.empty()) line += "; ";
    if (!seen.flushed.empty()) line += "flushed by " + joined(seen.flushed, ", ");
    lines.push_back(line);
  }
  return lines;
}

std::string wrong_line(const Finding& finding) {
  const suites::CaseResult& r = finding.result;
  if (r.elements == 0) return {};
  return fmt::format("{} of {} wrong ({} %)", grouped(r.mismatches), plural(r.elements, "element"),
                     significant(100.0 * static_cast<double>(r.mismatches) / static_cast<double>(r.elements)));
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
  return fmt::format("expected {}, got {}: {}", bits(element.expected_hex, element.expected_value),
                     bits(element.actual_hex, element.actual_value), ulps_text(element.ulps));
}

std::string explanation_line(const suites::Explanation& explanation, std::uint64_t wrong) {
  if (explanation.exact(wrong)) {
    return fmt::format("{}: exactly, every bit of {}", explanation.sentence, plural(wrong, "wrong element"));
  }
  const std::string but =
      explanation.contradicted
          ? fmt::format(", but it would also change {} that the device has otherwise",
                        plural(explanation.contradicted, "element"))
          : "";
  return fmt::format("{}: {} % of the wrong elements{}", explanation.sentence, explained_percent(explanation, wrong),
                     but);
}

std::string gain_line(const ThroughputRow& row) {
  if (!row.gain) return {};
  return fmt::format("fp32 takes {} x the time of fp16 (band {}): {}", significant(row.gain->ratio), row.gain->band,
                     row.gain->sentence);
}

}  // namespace halfmark::reports
