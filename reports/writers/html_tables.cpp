// SPDX-License-Identifier: Apache-2.0
// The tables of the HTML page: suites, probes, throughput, promises and environment.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "reports/throughput.hpp"
#include "reports/writers/html_parts.hpp"
#include "reports/writers/story.hpp"

namespace halfmark::reports::html {
namespace {

// Consecutive shares of one bar, with widths in integer thousandths, so that no floating-point
// number is printed. A bar of nothing is empty.
std::string bar(std::uint64_t whole,
                std::initializer_list<std::pair<std::string_view, std::uint64_t>> parts,
                const std::string& label) {
  std::string rects;
  std::uint64_t drawn = 0;
  for (const auto& [style, count] : parts) {
    if (whole == 0) break;
    const std::uint64_t begin = drawn * 1000 / whole, end = (drawn + count) * 1000 / whole;
    if (end > begin) {
      rects += fmt::format("<rect class=\"{}\" x=\"{}\" width=\"{}\" height=\"8\"/>", style, begin,
                           end - begin);
    }
    drawn += count;
  }
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">{}</svg>",
      safe(label), rects);
}

void print_suite(const Scorecard& card, const SuiteTally& suite, std::ostream& out) {
  std::string tiers;
  for (const auto& [tier, of_tier] : suite.tiers) {
    tiers += fmt::format("{}{} {}", tiers.empty() ? "" : ", ", tier, grouped(of_tier.total()));
  }
  const Outcomes o = outcomes_of(card, suite.name);
  fmt::print(out, "<tr><td>{}</td><td class=\"soft k\">{}</td>", safe(suite.name), safe(tiers));
  for (const std::uint64_t count :
       {o.cases, o.pass, o.violations, o.deviations, o.not_supported, o.other}) {
    fmt::print(out, "<td class=\"n\">{}</td>", grouped(count));
  }
  fmt::print(out, "<td>{}</td></tr>\n",
             bar(o.cases,
                 {{"pass", o.pass},
                  {"fail", o.violations},
                  {"note", o.deviations},
                  {"other", o.other},
                  {"off", o.not_supported}},
                 fmt::format("{} of {} passed", o.pass, o.cases)));
}

double fastest_of(const Scorecard& card, const std::string& operation) {
  double best = 0;
  for (const ThroughputRow& row : card.throughput) {
    if (row.run.operation == operation && row.excluded.empty())
      best = std::max(best, gigaflops(row));
  }
  return best;
}

std::string rate_bar(const Scorecard& card, const ThroughputRow& row) {
  const double best = fastest_of(card, row.run.operation);
  if (!row.excluded.empty() || best <= 0) return {};
  const auto share = static_cast<std::uint64_t>(1000 * gigaflops(row) / best);
  return bar(1000, {{"rate", share}}, fmt::format("{} % of the fastest", share / 10));
}

std::string median_text(const ThroughputRow& row) {
  if (!row.interval) return safe(duration(row.median_ns));
  return fmt::format("{}<br><span class=\"soft\">{} to {}</span>", safe(duration(row.median_ns)),
                     safe(duration(row.interval->low_ns)), safe(duration(row.interval->high_ns)));
}

void print_throughput_row(const Scorecard& card, const ThroughputRow& row, std::ostream& out) {
  const ThroughputRun& run = row.run;
  const std::string again =
      is_again(run) ? fmt::format("<span class=\"soft\">{}</span>", kTimedAgain) : "";
  fmt::print(
      out,
      "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n "
      "rated\">{}</td><td "
      "class=\"n rated\">{}</td>"
      "<td class=\"n rated\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
      row.excluded.empty() ? "" : " class=\"excluded\"", safe(run.operation), safe(run.provider),
      safe(run.formats), safe(run.shape), safe(run.fill), median_text(row),
      run.flops ? safe(rate_text(row)) : "–",
      run.bytes ? significant(gigabytes_per_second(row)) : "–",
      row.gain ? significant(row.gain->ratio) : "",
      row.excluded.empty() ? rate_bar(card, row) + again : safe("not counted: " + row.excluded));
}

template <typename Predicate>
void print_canary_table(const Scorecard& card, Predicate shown, std::ostream& out) {
  out << "<div "
         "class=\"scroll\"><table>\n<tr><th>probe</th><th>standing</th><th>observed</"
         "th><th>meaning</th><th>claim"
         "</th></tr>\n";
  for (const Canary& c : card.canaries) {
    if (!shown(c)) continue;
    fmt::print(out,
               "<tr><td><code>{}</code></td><td>{}</td><td><code>{}</code></td><td>{}</td><td "
               "class=\"soft\">{}</td></tr>\n",
               safe(c.name), tag(c.standing), safe(c.observed), safe(c.meaning), safe(c.claim));
  }
  out << "</table></div>\n";
}

void flatten(const nlohmann::json& value, const std::string& path, std::ostream& out) {
  if (value.is_object() || (value.is_array() && !value.empty() && value.front().is_structured())) {
    for (const auto& [key, inner] : value.items())
      flatten(inner, path.empty() ? key : path + "." + key, out);
    return;
  }
  print_fact(out, path,
             value.is_string()
                 ? value.get<std::string>()
                 : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_folded(std::string_view title, const nlohmann::json& value, std::ostream& out) {
  if (value.empty()) return;
  fmt::print(out, "<details>\n<summary>{}</summary>\n<div>\n<dl class=\"facts\">\n", safe(title));
  flatten(value, "", out);
  out << "</dl>\n</div>\n</details>\n";
}

}  // namespace

void print_suites(const Scorecard& card, std::ostream& out) {
  if (card.suites.empty()) return;
  out << "<h2>What was tested</h2>\n<div "
         "class=\"scroll\"><table>\n<tr><th>suite</th><th>tiers</th>";
  for (const char* column : {"cases", "pass", "violation", "deviation", "not supported", "other"}) {
    fmt::print(out, "<th class=\"n\">{}</th>", column);
  }
  out << "<th class=\"wide\"></th></tr>\n";
  for (const SuiteTally& suite : card.suites) print_suite(card, suite, out);
  out << "</table></div>\n";
}

void print_canaries(const Scorecard& card, std::ostream& out) {
  if (card.canaries.empty()) return;
  out << "<h2>Preflight canaries</h2>\n<p class=\"soft\">What the driver claims, and what it was "
         "observed to do before any case ran.</p>\n";
  const auto is_ok = [](const Canary& c) { return c.standing == "ok"; };
  const auto ok = static_cast<std::uint64_t>(std::ranges::count_if(card.canaries, is_ok));
  if (ok < card.canaries.size()) print_canary_table(card, std::not_fn(is_ok), out);
  if (ok == 0) return;
  fmt::print(out, "<details>\n<summary>{} as promised</summary>\n<div>\n", plural(ok, "probe"));
  print_canary_table(card, is_ok, out);
  out << "</div>\n</details>\n";
}

void print_list(std::string_view title, const std::vector<std::string>& rows, std::ostream& out) {
  if (rows.empty()) return;
  fmt::print(out, "<p>{}</p>\n<ul>\n", title);
  for (const std::string& row : rows) fmt::print(out, "<li><code>{}</code></li>\n", safe(row));
  out << "</ul>\n";
}

void print_evidence(const ArithmeticEntry& a, std::ostream& out) {
  fmt::print(out, "{}\n<details>\n<summary>details</summary>\n<div>\n", safe(a.evidence));
  print_list("shapes", a.shapes, out);
  print_list("indistinguishable from it", a.others, out);
  print_list("observed", a.observed, out);
  print_list("not explained", a.contradicted_cases, out);
  out << "</div>\n</details>\n";
}

void print_arithmetic(const Scorecard& card, std::ostream& out) {
  if (card.arithmetic.empty()) return;
  out << "<h2>Arithmetic found</h2>\n<div "
         "class=\"scroll\"><table>\n<tr><th>operator</th><th>provider</th><th>formats</th>"
         "<th>shapes</th><th>arithmetic</th><th>cases</th><th>evidence</th></tr>\n";
  for (const ArithmeticEntry& a : card.arithmetic) {
    fmt::print(out,
               "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td>"
               "<td>",
               safe(a.operation), safe(a.library.empty() ? a.provider : a.library), safe(a.formats),
               safe(shapes_text(a)), safe(a.arithmetic), safe(explained_share(a)));
    print_evidence(a, out);
    out << "</td></tr>\n";
  }
  out << "</table></div>\n";
}

void print_accuracy(const Scorecard& card, std::ostream& out) {
  if (card.accuracy.empty()) return;
  out << "<h2>Accuracy</h2>\n<p class=\"soft\">Largest distance of a result from the exact value, "
         "in ULP of that value. Correctly rounded results count as 0.500.</p>\n<div "
         "class=\"scroll\"><table>\n<tr><th>rule</th><th>ULP</th><th>allowed</th><th>results</th>"
         "<th>farthest</th></tr>\n";
  for (const AccuracyEntry& a : card.accuracy) {
    fmt::print(out,
               "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
               "class=\"n\">{}</td><td><code>{}</code></td></tr>\n",
               safe(a.rule), ulps_text(a.farthest), allowed_text(a.farthest),
               grouped(a.farthest.results), safe(farthest_line(a.farthest)));
  }
  out << "</table></div>\n";
}

void print_throughput(const Scorecard& card, std::ostream& out) {
  if (card.throughput.empty()) return;
  out << "<h2>Throughput</h2>\n<p class=\"soft\">Medians with their 95 % confidence intervals. "
         "Times count only where a case of the same kernel, shape and fill passed.</p>\n<div "
         "class=\"scroll\"><table>\n<tr><th>operator</th><th>provider</th>"
         "<th>formats</th><th>shape</th><th>fill</th><th class=\"n\">median</th><th "
         "class=\"n\">GFLOP/s</th><th "
         "class=\"n\">GB/s</th><th class=\"n\">gain over fp32</th><th></th></tr>\n";
  for (const ThroughputRow& row : card.throughput) print_throughput_row(card, row, out);
  out << "</table></div>\n";
  for (const ThroughputRow& row : card.throughput) {
    for (const std::string& line : {gain_line(row), casts_line(row)}) {
      if (line.empty()) continue;
      fmt::print(out, "<p>{}: {}.</p>\n", safe(kernel_text(row)), safe(line));
    }
  }
}

void print_not_asserted(const Scorecard& card, std::ostream& out) {
  if (card.not_asserted.empty()) return;
  out << "<h2>Not asserted</h2>\n<p class=\"soft\">The scorecard claims nothing about these, and "
         "none counts as a pass.</p>\n"
         "<dl class=\"facts\">\n";
  for (const NotAsserted& n : card.not_asserted) print_fact(out, n.subject, n.reason);
  out << "</dl>\n";
}

void print_device(const Scorecard& card, std::ostream& out) {
  out << "<h2>Device and environment</h2>\n";
  const auto promises = card.device.find("promises");
  if (promises != card.device.end() && !promises->empty()) {
    out << "<div class=\"scroll\"><table>\n<tr><th>capability</th><th>offered</th><th>the driver's "
           "answer</th><th>source</th>"
           "</tr>\n";
    for (const nlohmann::json& p : *promises) {
      fmt::print(
          out,
          "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"soft\">{}</td></tr>\n",
          safe(p.value("capability", "")), p.value("offered", false) ? "yes" : "no",
          safe(p.value("evidence", "")), safe(p.value("clause", "")));
    }
    out << "</table></div>\n";
  }
  nlohmann::json rest = card.device;
  rest.erase("promises");
  print_folded("Device, as the driver describes it", rest, out);
}

void print_environment(const Scorecard& card, std::ostream& out) {
  print_folded("Environment of the run", card.environment, out);
}

void print_times(const Scorecard& card, std::ostream& out) {
  if (card.times.suites.empty()) return;
  out << "<details>\n<summary>Where the time went</summary>\n<div "
         "class=\"scroll\"><table>\n<tr><th>suite</th><th "
         "class=\"n\">device and transfer</th><th class=\"n\">of which in kernels</th><th "
         "class=\"n\">reference</th></tr>\n";
  for (const SuiteTimes& s : card.times.suites) {
    fmt::print(out,
               "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
               "class=\"n\">{}</td></tr>\n",
               safe(s.name), duration(s.execute_seconds * 1e9),
               duration(static_cast<double>(s.device_ns)), duration(s.refer_seconds * 1e9));
  }
  out << "</table>\n<h3>Slowest cases</h3>\n<table>\n";
  for (const SlowCase& c : card.times.slowest) {
    fmt::print(out, "<tr><td><code>{}</code></td><td class=\"n\">{}</td></tr>\n", safe(c.name),
               duration(c.seconds * 1e9));
  }
  out << "</table></div>\n</details>\n";
}

}  // namespace halfmark::reports::html
