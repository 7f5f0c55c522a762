// SPDX-License-Identifier: Apache-2.0
// True fp16 on the HTML page: the verdict, a chart of each operation's rates in fp16 and fp32 on
// one scale, which evidence refuted which kind, and the roofs. Decides the scale of the chart: the
// fastest rate that it shows has the full width.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/writers/html_parts.hpp"
#include "reports/writers/story.hpp"

namespace halfmark::reports::html {
namespace {

// Widths in integer thousandths, so that no floating-point number is printed.
std::string rate_bar(std::string_view style, double rate, double most, const std::string& label) {
  const auto share = most > 0 ? static_cast<std::uint64_t>(1000 * rate / most) : 0;
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\"><rect class=\"{}\" width=\"{}\" height=\"8\"/></svg>",
      safe(label), style, share);
}

void print_rate(std::string_view name, std::string_view style, std::string_view note, double rate,
                double most, std::ostream& out) {
  fmt::print(out,
             "<tr><td class=\"k\">{}</td><td class=\"n\">{}</td><td class=\"wide\">{}</td><td "
             "class=\"soft\">{}</td></tr>\n",
             safe(name), significant(rate),
             rate_bar(style, rate, most, fmt::format("{} {} GFLOP/s", name, significant(rate))),
             safe(note));
}

double most_of(const Scorecard& card) {
  double most = card.roofs.fp32_best.gflops;
  for (const Roof& roof : card.roofs.operations) most = std::max(most, roof.best.gflops);
  for (const Fp16Operation& o : card.true_fp16.operations)
    most = std::max({most, o.gflops, o.fp32_gflops.value_or(0)});
  return most;
}

std::string why_of(const Fp16Operation& o) {
  return o.gain ? fmt::format("{}, gain {} x", o.kind, significant(*o.gain)) : o.kind;
}

// Each operation in fp16 above the same in fp32, then the roof of all fp32.
void print_chart(const Scorecard& card, std::ostream& out) {
  const double most = most_of(card);
  if (most <= 0) return;
  out << "<div class=\"scroll\"><table class=\"rates\">\n<tr><th>operation</th><th "
         "class=\"n\">GFLOP/s</th><th></th><th></th></tr>\n";
  for (const Fp16Operation& o : card.true_fp16.operations) {
    print_rate(o.operation + " fp16", o.kind == "native" ? "pass" : "note", why_of(o), o.gflops,
               most, out);
    if (o.fp32_gflops) print_rate(o.operation + " fp32", "off", o.width, *o.fp32_gflops, most, out);
  }
  if (card.true_fp16.operations.empty()) {
    for (const Roof& roof : card.roofs.operations)
      print_rate(roof.operation + " " + roof.formats, "rate", roof.best.width, roof.best.gflops,
                 most, out);
  }
  if (card.roofs.fp32_best.gflops > 0)
    print_rate("fp32 at best", "rate", card.roofs.fp32_best.row, card.roofs.fp32_best.gflops, most,
               out);
  out << "</table></div>\n";
}

void print_roofs(const Scorecard& card, std::ostream& out) {
  const std::vector<std::string> lines = roof_lines(card);
  if (lines.empty()) return;
  out << "<details>\n<summary>Roofs: best measured rates</summary>\n<div>\n<ul>\n";
  for (const std::string& line : lines) fmt::print(out, "<li>{}</li>\n", safe(line));
  out << "</ul>\n</div>\n</details>\n";
}

void print_operators(const Scorecard& card, std::ostream& out) {
  if (card.fp16_operators.empty()) return;
  out << "<div class=\"scroll\"><table>\n<tr><th>operator</th><th>provider</th><th>formats</th>"
         "<th>shape</th><th>verdict</th><th>evidence</th></tr>\n";
  for (const Fp16Operator& o : card.fp16_operators) {
    fmt::print(out, "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>",
               safe(o.operation), safe(o.provider), safe(o.formats), safe(o.shape),
               safe(o.verdict));
    for (const Evidence& e : o.evidence)
      fmt::print(out, "<span class=\"soft\">{}</span> {}<br>", safe(e.source), safe(e.statement));
    out << "</td></tr>\n";
  }
  out << "</table></div>\n";
}

}  // namespace

void print_true_fp16(const Scorecard& card, std::ostream& out) {
  fmt::print(out, "<h2>True fp16</h2>\n<p>{}</p>\n<dl class=\"facts\">\n",
             safe(card.true_fp16.verdict));
  for (const Evidence& e : card.true_fp16.evidence) print_fact(out, e.source, e.statement);
  out << "</dl>\n";
  print_chart(card, out);
  print_operators(card, out);
  print_roofs(card, out);
}

}  // namespace halfmark::reports::html
