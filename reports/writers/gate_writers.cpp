// SPDX-License-Identifier: Apache-2.0
// A gate's result as text, Markdown and JUnit XML.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/gate.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

std::uint64_t failing(const GateResult& result) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(result.items, [](const GateItem& item) { return !item.waiver; }));
}

std::string waiver_text(const Waiver& w) {
  return fmt::format("{}{} ({}, until {}: {})", w.case_glob,
                     w.rule.empty() ? "" : ", rule " + w.rule, w.owner, w.expires, w.reason);
}

std::string_view what_is_partial(const GateResult& result) {
  if (result.baseline_complete) return "the new run is partial";
  return result.complete ? "the baseline is partial" : "both runs are partial";
}

std::string gate_headline(const GateResult& result) {
  if (!result.alignment_gaps.empty()) {
    return fmt::format("Gate: the cards cannot be compared: {}; {}",
                       joined(result.alignment_gaps, "; "), kRemedyForGaps);
  }
  const std::string waived = result.items.size() > failing(result)
                                 ? fmt::format(", {} waived", result.items.size() - failing(result))
                                 : "";
  const std::string of = fmt::format("{} compared", plural(result.compared, "case"));
  switch (result.exit_code()) {
    case kExitConforms:
      return fmt::format("Gate passes: {}, nothing lost{}", of, waived);
    case kExitIncomplete:
      return fmt::format("Gate undecided: {}; {}{}", what_is_partial(result), of, waived);
    default:
      return fmt::format("Gate fails: {}{}, {}{}", of,
                         result.baseline_complete ? "" : " with a partial baseline",
                         plural(failing(result), "failure"), waived);
  }
}

std::string item_line(const GateItem& item) {
  return fmt::format("{}{}: {}", item.subject, item.rule.empty() ? "" : " [" + item.rule + "]",
                     item.text);
}

void print_waivers(std::ostream& out, std::string_view title, const std::vector<Waiver>& waivers) {
  for (const Waiver& waiver : waivers)
    fmt::print(out, "  {:<15}{}\n", title, wrapped(waiver_text(waiver), 17));
}

void print_testcase(const GateItem& item, std::ostream& out) {
  const std::string kind(name_of(item.kind));
  fmt::print(out, "    <testcase classname=\"halfmark.gate.{}\" name=\"{}\">\n",
             escape_markup(kind), escape_markup(item.subject));
  const std::string text = escape_markup(item_line(item));
  if (item.waiver) {
    fmt::print(out, "      <system-out>{}\nwaived: {}</system-out>\n", text,
               escape_markup(waiver_text(*item.waiver)));
  } else {
    fmt::print(out, "      <failure type=\"{}\" message=\"{}\">{}</failure>\n", kind,
               escape_markup(item.text), text);
  }
  out << "    </testcase>\n";
}

}  // namespace

void write_gate_console(const GateResult& result, std::ostream& out) {
  fmt::print(out, "{}\n", gate_headline(result));
  for (const GateItem& item : result.items) {
    if (!item.waiver)
      fmt::print(out, "  {:<15}{}\n", name_of(item.kind), wrapped(item_line(item), 17));
  }
  for (const GateItem& item : result.items) {
    if (!item.waiver) continue;
    fmt::print(out, "  {:<15}{}\n", "waived",
               wrapped(fmt::format("{} {}; {}", name_of(item.kind), item_line(item),
                                   waiver_text(*item.waiver)),
                       17));
  }
  print_waivers(out, "waiver expired", result.expired);
  print_waivers(out, "waiver unused", result.unused);
  for (const std::string& note : result.notes)
    fmt::print(out, "  {:<15}{}\n", "note", wrapped(note, 17));
}

void write_gate_markdown(const GateResult& result, std::ostream& out) {
  fmt::print(out, "# {}\n", escape_markdown(gate_headline(result)));
  if (!result.items.empty())
    out << "\n| what | subject | rule | detail | waived by |\n|---|---|---|---|---|\n";
  for (const GateItem& item : result.items) {
    fmt::print(out, "| {} | {} | {} | {} | {} |\n", name_of(item.kind),
               escape_markdown(item.subject), escape_markdown(item.rule),
               escape_markdown(item.text),
               item.waiver ? escape_markdown(waiver_text(*item.waiver)) : "");
  }
  if (!result.expired.empty() || !result.unused.empty() || !result.notes.empty()) out << '\n';
  for (const Waiver& w : result.expired)
    fmt::print(out, "- waiver expired: {}\n", escape_markdown(waiver_text(w)));
  for (const Waiver& w : result.unused)
    fmt::print(out, "- waiver unused: {}\n", escape_markdown(waiver_text(w)));
  for (const std::string& note : result.notes) fmt::print(out, "- {}\n", escape_markdown(note));
}

void write_gate_junit(const GateResult& result, std::ostream& out) {
  const bool stopped = result.exit_code() == kExitUnusable || result.exit_code() == kExitIncomplete;
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"",
                                         result.items.size() + 1, failing(result), stopped ? 1 : 0);
  fmt::print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"halfmark gate\" {0}>\n"
             "  <testsuite name=\"gate\" {0}>\n",
             counts);
  const std::string headline = escape_markup(gate_headline(result));
  out << "    <testcase classname=\"halfmark.gate\" name=\"comparison\">\n";
  if (stopped) {
    fmt::print(out, "      <error type=\"gate\" message=\"{}\"/>\n", headline);
  } else {
    fmt::print(out, "      <system-out>{}</system-out>\n", headline);
  }
  out << "    </testcase>\n";
  for (const GateItem& item : result.items) print_testcase(item, out);
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace halfmark::reports
