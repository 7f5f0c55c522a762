// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/explain.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/findings.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

void print_row(std::ostream& out, std::string_view label, const std::string& text) {
  if (!text.empty()) fmt::print(out, "  {:<14}{}\n", label, wrapped(text, 16));
}

void print_elements(const suites::CaseResult& r, std::ostream& out) {
  if (r.wrong.empty()) return;
  fmt::print(out, "\nWrong elements ({} of {}, the first and the worst)\n", r.wrong.size(),
             grouped(r.mismatches));
  TextTable table({"element", "", "bits", "value", "ulps"});
  for (const suites::Element& e : r.wrong) {
    std::string place = fmt::format("{}[{}]", e.tensor, e.index);
    for (const suites::OperandText& o : e.operands) {
      table.add({place, o.label, o.hex, o.value, ""});
      place.clear();
    }
    table.add({place, "expected", e.expected_hex, e.expected_value, ""});
    table.add({"", "got", e.actual_hex, e.actual_value, ulps_text(e.ulps)});
  }
  table.print(out, "  ");
}

void print_places(const suites::CaseResult& r, std::ostream& out) {
  if (r.geometry.empty()) return;
  out << "\nWhere\n";
  for (const suites::Geometry& g : r.geometry) {
    fmt::print(out, "  {}\n", wrapped(g.sentence, 4));
    if (g.wrong > 1) {
      if (g.rows == 1) {
        fmt::print(out, "    elements {} to {}", g.first_column, g.last_column);
      } else {
        fmt::print(out, "    rows {} to {}, columns {} to {}", g.first_row, g.last_row,
                   g.first_column, g.last_column);
      }
      if (!g.differ_ever.empty())
        fmt::print(out, "; differing bits: {} in some elements, {} in all", g.differ_ever,
                   g.differ_always);
      out << "\n";
    }
  }
}

void print_reduction(const Scorecard& card, const Finding& f, std::ostream& out) {
  const Finding* smallest = reduced_like(card, f);
  if (smallest == nullptr) return;
  const suites::Reduction& reduction = *smallest->result.reduction;
  const std::string whose =
      smallest == &f ? "" : fmt::format(" (found for {}, which has the same cause)", smallest->id);
  fmt::print(out, "\nThe smallest case with this failure{}\n  {}\n", whose,
             wrapped(reduction_line(*smallest), 4));
  for (const suites::Element& e : reduction.wrong) {
    const std::string line = fmt::format("{}[{}]: {}", e.tensor, e.index, outcome_line(e));
    fmt::print(out, "    {}\n", wrapped(line, 6));
  }
  fmt::print(out, "  {}; {}\n", plural(reduction.trials, "trial"), reduction.end);
}

void print_explanations(const Finding& f, std::ostream& out) {
  if (!was_cause_sought(f)) return;
  const suites::CaseResult& r = f.result;
  out << "\nWhich arithmetic explains it\n";
  if (r.explanations.empty()) out << "  none: no named arithmetic produces these bits\n";
  for (const suites::Explanation& e : r.explanations) {
    fmt::print(out, "  {}\n    {}\n", e.hypothesis, wrapped(explanation_line(e, r.mismatches), 4));
  }
}

void print_names(std::ostream& out, std::string_view verb, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.empty()) return;
  std::string text = fmt::format("{} ", verb);
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  fmt::print(out, "    {}\n", wrapped(text, 6));
}

void print_experiments(const suites::CaseResult& r, std::ostream& out) {
  if (!r.experiments) return;
  fmt::print(out, "\nWhat more data say\n  {}\n", wrapped(experiments_line(*r.experiments), 4));
  for (const suites::Question& q : r.experiments->asked) {
    fmt::print(out, "  {}: {}\n", q.case_name,
               q.wrong == 0 ? "right" : grouped(q.wrong) + " wrong");
    print_names(out, "confirms", q.confirms);
    print_names(out, "excludes", q.excludes);
    if (!q.remark.empty()) fmt::print(out, "    {}\n", wrapped(q.remark, 6));
  }
}

// What the operator computes where it stays within its bound.
void print_found(const Scorecard& card, const Finding& f, std::ostream& out) {
  const ArithmeticEntry* entry = arithmetic_behind(card, f);
  if (entry != nullptr)
    fmt::print(out, "\nWhat the probes found\n  {}\n", wrapped(arithmetic_line(*entry), 4));
}

std::string standing_line(const Finding& f) {
  if (f.result.standing == suites::Standing::kDeviation) {
    return "deviation: the device's own promises permit it; it withholds a mark, and fails a run "
           "only if that mark is required";
  }
  return "violation: the device breaks its own promises";
}

}  // namespace

void explain(const Scorecard& card, const Finding& f, std::ostream& out) {
  const suites::CaseResult& r = f.result;
  fmt::print(out, "{}  {}: {} ({})\n\n", f.id, f.result.operation, meaning_of(r.finding_class),
             r.finding_class);
  print_row(out, "device", device_line(card));
  print_row(out, "case", r.name);
  print_row(out, "what", r.reason);
  print_row(out, "wrong", wrong_line(f));
  print_row(out, "standing", standing_line(f));
  print_row(out, "severity", f.severity);
  out << "\nWhich rule\n";
  print_row(out, "promise", r.promise);
  print_row(out, "rule", r.rule);
  print_row(out, "tier", r.tier);
  print_row(out, "promised by", r.source);
  print_row(out, "permitted by", r.permitted_by);
  print_elements(r, out);
  print_places(r, out);
  print_explanations(f, out);
  print_experiments(r, out);
  print_found(card, f, out);
  print_reduction(card, f, out);
  fmt::print(out, "\nRepeat it\n  {}\n", f.replay);
}

void list_findings(const Scorecard& card, std::ostream& out) {
  if (card.findings.empty()) out << "The scorecard has no findings.\n";
  for (const Finding& f : card.findings) {
    fmt::print(out, "{}  {:<9}  {:<8}  {:<12}  {}\n", f.id, name_of(f.result.standing), f.severity,
               f.result.finding_class, f.result.name);
  }
}

}  // namespace halfmark::reports
