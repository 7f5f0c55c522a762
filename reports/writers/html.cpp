// SPDX-License-Identifier: Apache-2.0
// The HTML report: one plain page that needs no script, no network and no other file. Decides
// the order of sections: the verdict, the marks, what was tested, what was found, then evidence
// and environment.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/embedded.hpp"
#include "reports/writers/html_parts.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace html {
namespace {

std::string_view verdict_style(const Scorecard& card) {
  switch (exit_code(card, missing_marks(card))) {
    case kExitConforms:
      return "good";
    case kExitIncomplete:
      return "part";
    default:
      return "bad";
  }
}

void print_head(const Scorecard& card, std::ostream& out) {
  fmt::print(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>Halfmark: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
             safe(device_text(card, "name")), report_css);
}

void print_summary(const Scorecard& card, std::ostream& out) {
  fmt::print(out,
             "<p class=\"eyebrow\">Halfmark scorecard</p>\n<h1>{}</h1>\n<p class=\"sub\">{}</p>\n",
             safe(device_text(card, "name")), safe(provenance_line(card)));
  fmt::print(out, "<p class=\"verdict {}\">{}</p>\n", verdict_style(card), safe(headline(card)));
  out << "<dl class=\"facts\">\n";
  print_fact(out, "Device", device_text(card, "selector"));
  print_fact(out, "Asked", asked_line(card));
  print_fact(out, "Cases",
             fmt::format("{} of {} have a result", grouped(card.cases.size()),
                         grouped(card.expected_cases)));
  for (const std::string& reason : card.incomplete_reasons) print_fact(out, "Incomplete", reason);
  print_fact(out, "True fp16", card.true_fp16.verdict);
  for (const std::string& line : subnormal_lines(card)) print_fact(out, "Probes", line);
  out << "</dl>\n";
}

void print_foot(const Scorecard& card, std::ostream& out) {
  fmt::print(out,
             "<footer>\n<p>Generated only from the scorecard. Digest of everything except "
             "environment, verdicts on fp16 and the mark TF16, roofs, throughput, times, what was "
             "counted of a training step, and which process and attempt gave each case its "
             "verdict: "
             "<code>{}</code></p>\n<p>The digest tells a changed card from an unchanged one, and "
             "two runs that agree from "
             "two that do not; check it with <code>halfmark "
             "validate</code>.</p>\n</footer>\n</main>\n</body>\n</html>\n",
             safe(card.digest));
}

constexpr std::size_t kLinesUnfolded = 3;

// Long lists fold, so that all four marks stay visible at a glance.
void print_lines(std::string_view title, const std::vector<std::string>& lines, std::ostream& out) {
  if (lines.empty()) return;
  fmt::print(out, "<h3>{}</h3>\n<ul>\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), kLinesUnfolded); ++i) {
    fmt::print(out, "<li>{}</li>\n", safe(lines[i]));
  }
  out << "</ul>\n";
  if (lines.size() <= kLinesUnfolded) return;
  fmt::print(out, "<details class=\"more\">\n<summary>{} more</summary>\n<ul>\n",
             lines.size() - kLinesUnfolded);
  for (std::size_t i = kLinesUnfolded; i < lines.size(); ++i)
    fmt::print(out, "<li>{}</li>\n", safe(lines[i]));
  out << "</ul>\n</details>\n";
}

}  // namespace

std::string tag(std::string_view kind, std::string_view text) {
  return fmt::format("<span class=\"tag {}\">{}</span>", safe(kind),
                     safe(text.empty() ? kind : text));
}

void print_fact(std::ostream& out, std::string_view label, std::string_view text) {
  if (!text.empty()) fmt::print(out, "<dt>{}</dt><dd>{}</dd>\n", safe(label), safe(text));
}

void print_marks(const Scorecard& card, std::ostream& out) {
  out << "<h2>Marks</h2>\n<div class=\"marks\">\n";
  for (const Mark& mark : card.marks) {
    fmt::print(out,
               "<div class=\"mark {0}\">\n<span class=\"stamp\">{1}</span><span "
               "class=\"state\">{0}</span>\n"
               "<p class=\"title\">{2}, at level {3}</p>\n",
               mark.held ? "held" : "withheld", safe(mark.id), safe(mark.title), safe(mark.level));
    print_lines("Why withheld", mark.reasons, out);
    print_lines("Scope", mark.scope, out);
    out << "</div>\n";
  }
  out << "</div>\n";
}

}  // namespace html

void write_html(const Scorecard& card, std::ostream& out) {
  html::print_head(card, out);
  html::print_summary(card, out);
  html::print_marks(card, out);
  html::print_suites(card, out);
  html::print_unanswered(card, out);
  html::print_findings(card, out);
  html::print_true_fp16(card, out);
  html::print_canaries(card, out);
  html::print_arithmetic(card, out);
  html::print_accuracy(card, out);
  html::print_throughput(card, out);
  html::print_training_step(card, out);
  html::print_not_asserted(card, out);
  html::print_device(card, out);
  html::print_environment(card, out);
  html::print_times(card, out);
  html::print_foot(card, out);
}

}  // namespace halfmark::reports
