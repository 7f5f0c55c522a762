// SPDX-License-Identifier: Apache-2.0
// The page about a fleet, made of the JSON report of a merge alone. Decides the order: the answer,
// the counts, who does not conform and why, outliers as a plot, earlier sweeps, the nodes to drain,
// notes. Needs no script, no network and no other file.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/embedded.hpp"
#include "reports/fleet_page.hpp"
#include "reports/writers/html_parts.hpp"

namespace halfmark::reports {
namespace html {
namespace {

using nlohmann::json;

// A browser shows more only with difficulty; the JSON has all.
constexpr std::size_t kMostRows = 500;

std::string text_at(const json& j, const char* key) { return j.at(key).get<std::string>(); }
std::uint64_t count_at(const json& j, const char* key) { return j.at(key).get<std::uint64_t>(); }

void print_head(std::ostream& out) {
  fmt::print(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>Halfmark: fleet</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n"
             "<p class=\"eyebrow\">Halfmark fleet report</p>\n",
             report_css);
}

// Style and sentence of the answer.
std::pair<std::string_view, std::string> answer_of(const json& fleet) {
  const std::uint64_t devices = count_at(fleet, "devices");
  const std::uint64_t right = count_at(fleet.at("verdicts"), "conformant");
  const std::string counts =
      fmt::format("{} of {} conform", grouped(right), plural(devices, "device"));
  switch (fleet.at("exit_code").get<int>()) {
    case 0:
      return {"good", counts + "; nothing was found wrong, and nobody is missing."};
    case 1:
      return {"bad", counts + "; devices were found wrong."};
    default:
      return {"part", counts + "; nothing was found wrong, and answers are missing."};
  }
}

std::string nodes_text(const json& nodes) {
  const json& expected = nodes.at("expected");
  return expected.is_null()
             ? fmt::format("{} answered; there is no roster", grouped(count_at(nodes, "answered")))
             : fmt::format("{} of {} on the roster answered", grouped(count_at(nodes, "answered")),
                           grouped(expected.get<std::uint64_t>()));
}

std::string bound_text(const json& bound) {
  const std::uint64_t trials = count_at(bound, "trials");
  if (trials == 0) return {};
  return fmt::format(
      "no wrong answer in {} trials of conformant devices: fewer than {:.2g} per trial are wrong "
      "(95 %, for the cases and data tried)",
      grouped(trials), bound.at("most_wrong_per_trial_95").get<double>());
}

std::string stores_text(const json& stores) {
  std::string text;
  for (const json& store : stores) {
    text += fmt::format("{}{}: {} cases passed by it, {} were recomputed{}",
                        text.empty() ? "" : "; ", text_at(store, "store"),
                        grouped(count_at(store, "matched")), grouped(count_at(store, "confirmed")),
                        count_at(store, "refuted") > 0 ? ", and it is in error" : "");
  }
  return text;
}

void print_summary(const json& fleet, std::ostream& out) {
  const auto [style, sentence] = answer_of(fleet);
  fmt::print(out, "<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n<dl class=\"facts\">\n",
             safe(plural(count_at(fleet, "devices"), "device")), style, safe(sentence));
  print_fact(out, "Nodes", nodes_text(fleet.at("nodes")));
  print_fact(out, "Answers",
             fmt::format("{} from {}", grouped(count_at(fleet, "rollups")),
                         plural(fleet.at("runs").size(), "run")));
  const json& started = fleet.at("started");
  if (!text_at(started, "first").empty())
    print_fact(out, "Started",
               fmt::format("{} to {}", text_at(started, "first"), text_at(started, "last")));
  const json& tests = fleet.at("self_tests");
  print_fact(out, "Self-test",
             fmt::format("an injected fault was noticed before {} answers, and "
                         "{} come without one",
                         grouped(count_at(tests, "caught")), grouped(count_at(tests, "none"))));
  print_fact(out, "Golden store", stores_text(fleet.at("stores")));
  print_fact(out, "Bound", bound_text(fleet.at("bound")));
  out << "</dl>\n";
}

// Good, bad, and what says nothing about the device.
std::string_view style_of(std::string_view verdict) {
  if (verdict == "conformant") return "ok";
  if (verdict == "absent" || verdict == "error") return "skipped";
  return verdict == "nondeterministic-kernel" ? "deviation" : "violation";
}

void print_counts(const json& verdicts, std::ostream& out) {
  out << "<h2>Verdicts</h2>\n<div class=\"scroll\">\n<table>\n"
         "<tr><th>verdict</th><th class=\"n\">devices</th></tr>\n";
  for (const auto& [verdict, count] : verdicts.items()) {
    if (count.get<std::uint64_t>() == 0) continue;
    fmt::print(out, "<tr><td>{}</td><td class=\"n\">{}</td></tr>\n",
               tag(style_of(verdict), verdict), grouped(count.get<std::uint64_t>()));
  }
  out << "</table>\n</div>\n";
}

void print_history(const json& row, std::uint64_t sweeps, std::ostream& out) {
  if (sweeps == 0 || text_at(row, "since").empty()) return;  // not found wrong
  print_fact(out, "Since",
             fmt::format("{}; wrong in {} of {} earlier sweeps", text_at(row, "since"),
                         count_at(row, "wrong_before"), sweeps));
}

void print_device(const json& row, std::uint64_t sweeps, std::ostream& out) {
  const std::string verdict = text_at(row, "verdict"), scope = text_at(row, "scope");
  const std::uint64_t devices = count_at(row, "devices");
  fmt::print(out,
             "<details class=\"finding\">\n<summary><b>{} {}</b>{}<span class=\"what\">{}</span>"
             "</summary>\n<div>\n<dl class=\"facts\">\n",
             safe(text_at(row, "node")),
             safe(devices > 1 ? plural(devices, "device") : text_at(row, "selector")),
             tag(style_of(verdict), verdict), safe(text_at(row, "evidence")));
  if (scope != "none") print_fact(out, "Look at", scope);
  for (const json& name : row.at("cases")) print_fact(out, "Case", name.get<std::string>());
  print_fact(out, "Card", text_at(row, "card"));
  for (const json& step : row.at("ladder"))
    print_fact(out, text_at(step, "step"), text_at(step, "outcome"));
  print_history(row, sweeps, out);
  out << "</dl>\n";
  if (!text_at(row, "next").empty())
    fmt::print(out, "<h3>Next</h3>\n<code class=\"replay\">{}</code>\n",
               safe(text_at(row, "next")));
  out << "</div>\n</details>\n";
}

void print_devices(const json& fleet, std::ostream& out) {
  const json& rows = fleet.at("deviating");
  if (rows.empty()) return;
  out << "<h2>Not conformant</h2>\n";
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
    print_device(rows[i], count_at(fleet, "earlier_sweeps"), out);
  if (rows.size() > kMostRows)
    fmt::print(out, "<p>{} more are in the JSON report.</p>\n", grouped(rows.size() - kMostRows));
}

struct Slow {
  double loss = 0, cut = 0;  // shares of the median
  std::string_view kind;     // CSS class
  std::string title;
};

Slow slow_of(const json& one) {
  const double value = one.at("giga_per_second"), median = one.at("median");
  const double below = one.at("spreads_below"), cut = one.at("cut");
  const double log_loss = value > 0 && median > value ? std::log(median / value) : 0;
  Slow slow{.loss = 1 - std::exp(-log_loss),
            .cut = below > 0 ? 1 - std::exp(-log_loss * cut / below) : 0,
            .kind = "fail",
            .title = {}};
  const json& per_cycle = one.at("slow_per_cycle");
  std::string_view why = "there is no clock to divide by";
  if (!per_cycle.is_null()) {
    why = per_cycle.get<bool>() ? "slow per cycle" : "slow by its clock";
    slow.kind = per_cycle.get<bool>() ? "fail" : "note";
  }
  slow.title = fmt::format("{} {}: {:.1f} % below the median, {}", text_at(one, "node"),
                           text_at(one, "selector"), 100 * slow.loss, why);
  return slow;
}

// One line for each rate: 0 at the left is the median, a tick the cut-off, a dot each outlier.
void print_plot(const std::map<std::string, std::vector<Slow>>& by_rate, std::ostream& out) {
  constexpr double kLeft = 130, kWidth = 560, kLine = 34;
  double most = 0.05;
  for (const auto& [rate, slows] : by_rate) {
    for (const Slow& slow : slows) most = std::max({most, slow.loss, slow.cut});
  }
  const auto x = [&](double share) { return kLeft + kWidth * share / most; };
  const double height = kLine * static_cast<double>(by_rate.size()) + 26;
  fmt::print(out,
             "<svg class=\"plot\" viewBox=\"0 0 760 {:.0f}\" role=\"img\" aria-label=\"rates below "
             "the median of peers\">\n",
             height);
  double y = 18;
  for (const auto& [rate, slows] : by_rate) {
    fmt::print(out,
               "<text x=\"0\" y=\"{0:.0f}\">{1}</text><line class=\"axis\" x1=\"{2:.0f}\" "
               "y1=\"{3:.0f}\" x2=\"{4:.0f}\" y2=\"{3:.0f}\"/>\n",
               y + 4, safe(rate), kLeft, y, kLeft + kWidth);
    for (const Slow& slow : slows)
      fmt::print(out,
                 "<line class=\"cut\" x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\"/>"
                 "<circle class=\"{3}\" cx=\"{4:.1f}\" cy=\"{5:.0f}\" r=\"5\"><title>{6}</title>"
                 "</circle>\n",
                 x(slow.cut), y - 8, y + 8, slow.kind, x(slow.loss), y, safe(slow.title));
    y += kLine;
  }
  fmt::print(out,
             "<text x=\"{:.0f}\" y=\"{:.0f}\">median</text><text class=\"end\" x=\"{:.0f}\" "
             "y=\"{:.0f}\">{:.0f} % below</text>\n</svg>\n",
             kLeft, y, kLeft + kWidth, y, 100 * most);
}

void print_outliers(const json& fleet, std::ostream& out) {
  const json& outliers = fleet.at("outliers");
  const std::uint64_t comparisons = count_at(fleet, "rate_comparisons");
  if (comparisons == 0) return;
  out << "<h2>Rates</h2>\n";
  fmt::print(out, "<p>{} comparisons among peers; {}. 0.01 false alarms are expected.</p>\n",
             grouped(comparisons),
             outliers.empty() ? "no outlier" : plural(outliers.size(), "outlier"));
  if (outliers.empty()) return;
  std::map<std::string, std::vector<Slow>> by_rate;
  for (const json& one : outliers) by_rate[text_at(one, "rate")].push_back(slow_of(one));
  print_plot(by_rate, out);
  out << "<p class=\"soft\">A dot is a device, a tick its cut-off.</p>\n<ul>\n";
  std::size_t shown = 0;
  for (const auto& [rate, slows] : by_rate) {
    for (const Slow& slow : slows) {
      if (++shown <= kMostRows) fmt::print(out, "<li>{}: {}</li>\n", safe(rate), safe(slow.title));
    }
  }
  out << "</ul>\n";
}

void print_recurrences(const json& fleet, std::ostream& out) {
  const json& list = fleet.at("recurrences");
  if (list.empty()) return;
  out << "<h2>Wrong in earlier sweeps only</h2>\n<div class=\"scroll\">\n<table>\n<tr><th>node</th>"
         "<th>device</th><th>verdict</th><th>last</th><th class=\"n\">sweeps</th></tr>\n";
  for (std::size_t i = 0; i < std::min(list.size(), kMostRows); ++i) {
    const json& one = list[i];
    fmt::print(
        out, "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{} of {}</td></tr>\n",
        safe(text_at(one, "node")), safe(text_at(one, "selector")),
        tag(style_of(text_at(one, "verdict")), text_at(one, "verdict")), safe(text_at(one, "last")),
        count_at(one, "sweeps"), count_at(fleet, "earlier_sweeps"));
  }
  out << "</table>\n</div>\n";
}

void print_drain(const json& drain, std::ostream& out) {
  const std::uint64_t withheld = count_at(drain, "withheld");
  if (drain.at("nodes").empty() && withheld == 0) return;
  out << "<h2>To drain</h2>\n";
  for (const json& node : drain.at("nodes"))
    fmt::print(out, "<code class=\"replay\">{}</code>\n", safe(node.get<std::string>()));
  if (withheld > 0)
    fmt::print(out,
               "<p>{} not listed: more than {:g} % of the nodes point to a common cause, or the "
               "name is not one of a node.</p>\n",
               withheld == 1 ? "1 node is" : grouped(withheld) + " nodes are",
               drain.at("cap_percent").get<double>());
}

void print_notes(const json& notes, std::ostream& out) {
  if (notes.empty()) return;
  out << "<h2>Notes</h2>\n<ul>\n";
  for (std::size_t i = 0; i < std::min(notes.size(), kMostRows); ++i)
    fmt::print(out, "<li>{}</li>\n", safe(notes[i].get<std::string>()));
  out << "</ul>\n";
}

void print_peers(const json& groups, std::ostream& out) {
  if (groups.empty()) return;
  out << "<h2>Peers</h2>\n<div class=\"scroll\">\n<table>\n<tr><th>device and driver</th>"
         "<th class=\"n\">devices</th><th>rates</th></tr>\n";
  for (const json& group : groups)
    fmt::print(out, "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
               safe(text_at(group, "name")), grouped(count_at(group, "devices")),
               group.at("rates_compared").get<bool>() ? "compared" : "not compared");
  out << "</table>\n</div>\n";
}

}  // namespace
}  // namespace html

void write_fleet_page(const nlohmann::json& fleet, std::ostream& out) {
  html::print_head(out);
  html::print_summary(fleet, out);
  html::print_counts(fleet.at("verdicts"), out);
  html::print_devices(fleet, out);
  html::print_outliers(fleet, out);
  html::print_recurrences(fleet, out);
  html::print_drain(fleet.at("drain"), out);
  html::print_peers(fleet.at("groups"), out);
  html::print_notes(fleet.at("notes"), out);
  out << "<footer>\n<p>Generated only from the report of <code>halfmark fleet merge "
         "--json</code>.</p>\n</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace halfmark::reports
