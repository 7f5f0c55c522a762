// SPDX-License-Identifier: Apache-2.0
// Describes findings in words: what is wrong and where, which operands show it, what explains it.
#include <fmt/format.h>

#include <algorithm>

#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

std::string bits(const std::string& hex, const std::string& value) {
  return value.empty() ? hex : fmt::format("{} ({})", hex, value);
}

std::vector<const suites::Explanation*> exact_explanations(const Finding& finding) {
  std::vector<const suites::Explanation*> exact;
  for (const suites::Explanation& e : finding.result.explanations) {
    if (e.exact(finding.result.mismatches)) exact.push_back(&e);
  }
  return exact;
}

std::string extent_of_cause(std::uint64_t wrong) {
  return wrong == 1 ? "in its only wrong element"
                    : fmt::format("in all {} wrong elements", grouped(wrong));
}

}  // namespace

std::string gist_of(const Finding& finding) {
  const suites::Explanation* lead = leading_explanation(finding);
  const std::size_t exact = exact_explanations(finding).size();
  if (exact > 1) return fmt::format("{}, or {}", lead->sentence, plural(exact - 1, "other cause"));
  if (exact == 1) return lead->sentence;
  return std::string(meaning_of(finding.result.finding_class));
}

std::string wrong_line(const Finding& finding) {
  const suites::CaseResult& r = finding.result;
  // For elements that vary between runs or were never written, the reason gives the numbers.
  if (r.elements == 0 || r.mismatches == 0) return {};
  return fmt::format("{} of {} wrong ({})", grouped(r.mismatches), plural(r.elements, "element"),
                     percent_of(r.mismatches, r.elements));
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
  constexpr std::size_t kMostShown = 12;
  if (const std::size_t count = operands.size(); count > kMostShown) {
    operands.resize(kMostShown);
    operands.push_back(fmt::format("and {} more", count - kMostShown));
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

bool was_cause_sought(const Finding& finding) {
  const suites::CaseResult& r = finding.result;
  if (!r.explanations.empty()) return true;
  return !r.wrong.empty() && !r.rule.ends_with(".related");
}

std::string explanation_line(const suites::Explanation& explanation, std::uint64_t wrong) {
  if (explanation.exact(wrong)) {
    return fmt::format("{}: exactly, {}", explanation.sentence, extent_of_cause(wrong));
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

const ArithmeticEntry* arithmetic_behind(const Scorecard& card, const Finding& finding) {
  const std::string& name = finding.result.name;
  if (const ArithmeticEntry* entry = arithmetic_at(card.arithmetic, name)) return entry;
  const auto of_operator = std::ranges::find_if(card.arithmetic, [&](const ArithmeticEntry& entry) {
    return name.starts_with(operator_prefix(entry));
  });
  return of_operator == card.arithmetic.end() ? nullptr : &*of_operator;
}

}  // namespace halfmark::reports
