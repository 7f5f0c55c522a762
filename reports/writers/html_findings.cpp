// SPDX-License-Identifier: Apache-2.0
// Findings and cases without an answer, as foldable parts of the HTML page. The summary line says
// what is wrong and how bad it is; the body says which promise it breaks, which bits are wrong,
// which arithmetic explains them and how to repeat the case.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/findings.hpp"
#include "reports/writers/html_parts.hpp"
#include "reports/writers/story.hpp"

namespace halfmark::reports::html {
namespace {

constexpr std::size_t kOthersShown = 200;

std::string bits(const std::string& hex, const std::string& value) {
  return fmt::format("<code>{}</code><br><span class=\"soft bits\">{}</span>", safe(hex),
                     safe(value));
}

void print_elements(const suites::CaseResult& r, std::ostream& out) {
  if (r.wrong.empty()) return;
  out << "<h3>Wrong elements</h3>\n<div class=\"scroll\"><table>\n"
         "<tr><th>element</th><th>operands</th><th>expected</th><th>got</th><th "
         "class=\"n\">distance</th></tr>\n";
  for (const suites::Element& e : r.wrong) {
    std::string operands;
    for (const suites::OperandText& o : e.operands) {
      operands +=
          fmt::format("{}<code>{} = {}</code> <span class=\"soft bits\">{}</span>",
                      operands.empty() ? "" : "<br>", safe(o.label), safe(o.hex), safe(o.value));
    }
    fmt::print(out,
               "<tr><td><code>{}[{}]</code></td><td>{}</td><td>{}</td><td>{}</td><td "
               "class=\"n\">{}</td></tr>\n",
               safe(e.tensor), e.index, operands, bits(e.expected_hex, e.expected_value),
               bits(e.actual_hex, e.actual_value), safe(ulps_text(e.ulps)));
  }
  out << "</table></div>\n";
}

void print_explanations(const Finding& f, std::ostream& out) {
  if (!was_cause_sought(f)) return;
  const suites::CaseResult& r = f.result;
  out << "<h3>What explains the bits</h3>\n";
  if (r.explanations.empty()) {
    out << "<p>No named arithmetic was found.</p>\n";
    return;
  }
  out << "<div class=\"scroll\"><table>\n<tr><th>hypothesis</th><th>meaning</th><th "
         "class=\"n\">wrong bits explained"
         "</th><th class=\"n\">elements contradicted</th><th></th></tr>\n";
  for (const suites::Explanation& e : r.explanations) {
    fmt::print(
        out,
        "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{} %</td><td class=\"n\">{}</td>"
        "<td>{}</td></tr>\n",
        safe(e.hypothesis), safe(e.sentence), explained_percent(e, r.mismatches),
        grouped(e.contradicted), e.exact(r.mismatches) ? "<span class=\"exact\">exact</span>" : "");
  }
  out << "</table></div>\n";
}

void print_experiments(const suites::CaseResult& r, std::ostream& out) {
  if (!r.experiments) return;
  fmt::print(out, "<p class=\"soft\">{}.</p>\n", safe(experiments_line(*r.experiments)));
}

void print_likewise(const FindingGroup& group, std::ostream& out) {
  if (group.all.size() == 1) return;
  fmt::print(out, "<h3>{} with the same cause</h3>\n<p>",
             plural(group.all.size() - 1, "more case"));
  for (std::size_t i = 1; i < std::min(group.all.size(), kOthersShown + 1); ++i) {
    const Finding& other = *group.all[i];
    fmt::print(out, "{}{} <code>{}</code>", i > 1 ? "<br>" : "", safe(other.id),
               safe(other.result.name));
  }
  if (group.all.size() > kOthersShown + 1) {
    fmt::print(out, "<br>and {} more, in the scorecard", group.all.size() - kOthersShown - 1);
  }
  out << "</p>\n";
}

void print_group(const FindingGroup& group, std::ostream& out) {
  const Finding& f = group.first();
  const suites::CaseResult& r = f.result;
  const std::string count =
      group.all.size() > 1 ? fmt::format(" · {}", plural(group.all.size(), "case")) : "";
  fmt::print(out,
             "<details class=\"finding\" id=\"{0}\">\n<summary><b>{0}</b>{1} <span "
             "class=\"what\"><code>{2}</code> {3}"
             "</span> <span class=\"soft\">{4}{5}</span></summary>\n<div>\n<dl class=\"facts\">\n",
             safe(f.id), tag(name_of(r.standing)), safe(f.result.operation), safe(gist_of(f)),
             safe(f.severity), count);
  print_fact(out, "Case", r.name);
  print_fact(out, "Wrong", wrong_line(f));
  print_fact(out, "Where", where_line(f));
  if (r.wrong.empty()) print_fact(out, "What", r.reason);
  print_fact(out, "Promise", r.promise);
  print_fact(out, "Promised by", r.source);
  print_fact(out, "Rule", r.rule);
  print_fact(out, "Permitted by", r.permitted_by);
  print_fact(out, "Class",
             fmt::format("{} ({}); provider {}, tier {}", r.finding_class,
                         meaning_of(r.finding_class), r.provider, r.tier));
  out << "</dl>\n";
  print_elements(r, out);
  print_explanations(f, out);
  print_experiments(r, out);
  if (const Finding* smallest = reduced_of(group)) {
    fmt::print(out,
               "<h3>The smallest case with this failure</h3>\n<code class=\"replay\">{}</code>\n",
               safe(reduction_line(*smallest)));
  }
  fmt::print(out, "<h3>Repeat it</h3>\n<code class=\"replay\">{}</code>\n", safe(f.replay));
  print_likewise(group, out);
  out << "</div>\n</details>\n";
}

}  // namespace

void print_findings(const Scorecard& card, std::ostream& out) {
  const auto groups = group_findings(card);
  fmt::print(out, "<h2>Findings</h2>\n");
  if (groups.empty()) {
    out << "<p class=\"soft\">None: no case deviates from its rule.</p>\n";
    return;
  }
  fmt::print(out,
             "<p class=\"soft\">{} of {}. A violation breaks what the device itself promises; a "
             "deviation is permitted by "
             "those promises, and withholds a mark.</p>\n",
             plural(card.findings.size(), "case"), plural(groups.size(), "kind"));
  for (const FindingGroup& group : groups) print_group(group, out);
}

void print_unanswered(const Scorecard& card, std::ostream& out) {
  const auto groups = unanswered(card);
  if (groups.empty()) return;
  out << "<h2>Cases without an answer</h2>\n<div "
         "class=\"scroll\"><table>\n<tr><th>verdict</th><th>reason</th>"
         "<th class=\"n\">cases</th><th>first</th></tr>\n";
  for (const Unanswered& group : groups) {
    fmt::print(out,
               "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td><code>{}</code></td></tr>\n",
               tag(name_of(group.verdict), words_of(group.verdict)), safe(group.reason),
               grouped(group.count), safe(group.first));
  }
  out << "</table></div>\n";
}

}  // namespace halfmark::reports::html
