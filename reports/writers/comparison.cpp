// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/findings.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

constexpr std::size_t kRowsShown = 40;

std::string verdict_text(const std::optional<suites::Verdict>& verdict) {
  return verdict ? std::string(name_of(*verdict)) : "absent";
}

template <typename Row, typename Function>
void print_list(std::ostream& out, std::string_view title, const std::vector<Row>& rows,
                Function line) {
  if (rows.empty()) return;
  fmt::print(out, "\n{}: {}\n", title, rows.size());
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsShown); ++i) {
    fmt::print(out, "  {}\n", wrapped(line(rows[i]), 4));
  }
  if (rows.size() > kRowsShown) fmt::print(out, "  and {} more\n", rows.size() - kRowsShown);
}

std::string finding_line(const Finding& f) {
  return fmt::format("{} {} {}: {} ({})", name_of(f.result.standing), f.result.finding_class,
                     f.result.name, meaning_of(f.result.finding_class), f.result.rule);
}

void print_times(const Comparison& comparison, std::ostream& out) {
  if (comparison.times.empty()) return;
  out << "\nTimes (A / B: above 1, B is faster)\n";
  TextTable table({"kernel", "A", "B", "A / B", "intervals"});
  for (const TimeChange& t : comparison.times) {
    table.add({t.what, duration(t.a_ns), duration(t.b_ns), significant(t.ratio()),
               t.distinguishable ? "apart" : "overlap"});
  }
  table.print(out, "  ");
}

}  // namespace

void write_comparison(const Scorecard& a, const Scorecard& b, const Comparison& comparison,
                      std::ostream& out) {
  for (const auto& [label, card] : {std::pair("A", &a), std::pair("B", &b)}) {
    fmt::print(out, "{}  {}\n   {}\n   {}\n   true fp16: {}\n", label, device_line(*card),
               asked_line(*card), headline(*card), wrapped(card->true_fp16.verdict, 14));
  }
  if (!comparison.alignment_gaps.empty()) {
    fmt::print(out,
               "\nNot aligned: {}. Only cases with equal names are compared; other differences "
               "mean little.\n",
               joined(comparison.alignment_gaps, "; "));
  }
  print_list(out, "Device", comparison.device, [](const DeviceChange& c) {
    return fmt::format("{}: {} against {}", c.what, c.a.empty() ? "(nothing)" : c.a,
                       c.b.empty() ? "(nothing)" : c.b);
  });
  fmt::print(out,
             "\nBits: {} with equal output bits, {} with different bits and the same verdict\n",
             plural(comparison.same_bits, "case"), comparison.other_bits.size());
  print_list(out, "Verdicts that differ", comparison.verdicts, [](const VerdictChange& v) {
    return fmt::format("{}: {} -> {}{}", v.name, verdict_text(v.a), verdict_text(v.b),
                       v.reason.empty() ? "" : " (" + v.reason + ")");
  });
  print_list(out, "Same verdict, different bits", comparison.other_bits,
             [](const std::string& name) { return name; });
  print_list(out, "Findings of A only", comparison.fixed, finding_line);
  print_list(out, "Findings of B only", comparison.appeared, finding_line);
  print_times(comparison, out);
  out << "\nMarks\n";
  TextTable marks({"mark", "A", "B"});
  for (const MarkChange& m : comparison.marks) {
    marks.add({m.id, m.a_held ? "held" : "withheld", m.b_held ? "held" : "withheld"});
  }
  marks.print(out, "  ");
}

}  // namespace halfmark::reports
