// SPDX-License-Identifier: Apache-2.0
// What a user reads after a run: first the verdict, then what was tested, what was found and how to
// repeat it. Decides how many groups of findings fit a terminal; the scorecard holds them all.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <set>

#include "reports/throughput.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"
#include "reports/writers/training_step.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace {

constexpr std::size_t kGroupsShown = 8;
constexpr std::size_t kIdsShown = 8;
constexpr std::size_t kElementsShown = 2;
constexpr std::size_t kLinesShown = 6;
constexpr std::size_t kReasonsShown = 8;

void print_row(std::ostream& out, std::string_view label, const std::string& text) {
  if (!text.empty()) fmt::print(out, "  {:<11}{}\n", label, wrapped(text, 13));
}

void print_header(const Scorecard& card, std::ostream& out) {
  fmt::print(out, "{}\n\n", headline(card));
  print_row(out, "device", fmt::format("{}  {}", device_text(card, "selector"), device_line(card)));
  print_row(out, "asked", asked_line(card));
  print_row(out, "cases",
            fmt::format("{} of {} have a result", grouped(card.cases.size()),
                        grouped(card.expected_cases)));
  for (const std::string& reason : card.incomplete_reasons) print_row(out, "incomplete", reason);
  for (const std::string& line : subnormal_lines(card)) print_row(out, "probes", line);
  print_row(out, "true fp16", card.true_fp16.verdict);
  print_row(out, "digest", card.digest);
}

void print_counts(const Scorecard& card, std::ostream& out) {
  if (card.suites.empty()) return;
  TextTable table({"suite", "cases", "pass", "violation", "deviation", "not supported", "other"});
  const auto add = [&](const std::string& label, const Outcomes& o) {
    table.add({label, grouped(o.cases), grouped(o.pass), grouped(o.violations),
               grouped(o.deviations), grouped(o.not_supported), grouped(o.other)});
  };
  for (const SuiteTally& suite : card.suites) add(suite.name, outcomes_of(card, suite.name));
  if (card.suites.size() > 1) add("all", outcomes_of(card, ""));
  out << "\nCounts\n";
  table.print(out, "  ");
}

void print_unanswered(const Scorecard& card, std::ostream& out) {
  const auto groups = unanswered(card);
  if (!groups.empty()) out << "\nWithout an answer\n";
  std::size_t shown = 0;
  std::uint64_t cases_left = 0;
  for (const Unanswered& group : groups) {
    // What is not supported may have many reasons; a crash or a hang is always shown.
    if (group.verdict == suites::Verdict::kNotSupported && shown >= kReasonsShown) {
      cases_left += group.count;
      continue;
    }
    ++shown;
    const std::string text = fmt::format("{} ({}): {}", words_of(group.verdict),
                                         plural(group.count, "case"), group.reason);
    fmt::print(out, "  {}\n      {}: {}\n", wrapped(text, 6), group.count > 1 ? "first" : "case",
               group.first);
  }
  if (groups.size() > shown) {
    fmt::print(out, "  {}, of {}: the HTML report lists all\n",
               plural(groups.size() - shown, "more reason"), plural(cases_left, "case"));
  }
}

void print_finding_row(std::ostream& out, std::string_view label, const std::string& text) {
  if (!text.empty()) fmt::print(out, "    {:<13}{}\n", label, wrapped(text, 17));
}

void print_elements(const suites::CaseResult& r, std::size_t limit, std::ostream& out) {
  for (std::size_t i = 0; i < std::min(r.wrong.size(), limit); ++i) {
    print_finding_row(out, i == 0 ? "element" : "", operands_line(r.wrong[i]));
    print_finding_row(out, "", outcome_line(r.wrong[i]));
  }
}

void print_replay(const FindingGroup& group, std::ostream& out) {
  if (const Finding* smallest = reduced_of(group))
    print_finding_row(out, "smallest", reduction_line(*smallest));
  fmt::print(out, "    {:<13}{}\n", "replay",
             group.first().replay);  // not wrapped, so that it can be copied
  if (group.all.size() == 1) return;
  print_finding_row(out, "also",
                    fmt::format("{}: {}", plural(group.all.size() - 1, "more case"),
                                list_other_ids(group, kIdsShown)));
}

void print_violation(const FindingGroup& group, std::ostream& out) {
  const Finding& f = group.first();
  const suites::CaseResult& r = f.result;
  fmt::print(out, "\n  {}  {}, {}: {} ({})\n", f.id, f.severity, f.result.operation,
             meaning_of(r.finding_class), r.finding_class);
  const auto row = [&](std::string_view label, const std::string& text) {
    print_finding_row(out, label, text);
  };
  row("case", r.name);
  row("wrong", wrong_line(f));
  row("where", where_line(f));
  if (r.wrong.empty()) row("what", r.reason);
  row("rule",
      r.source.empty() ? r.promise : fmt::format("{} [{}; {}]", r.promise, r.rule, r.source));
  print_elements(r, kElementsShown, out);
  if (const std::string cause = cause_line(f); !cause.empty()) {
    row(cause_label(f), cause);
  } else if (was_cause_sought(f)) {
    row("explained by", "none of the hypotheses tried");
  }
  print_replay(group, out);
}

// A deviation is printed in brief: its explanation is exact, and the clause that permits it is
// printed once for all.
void print_deviation(const FindingGroup& group, std::ostream& out) {
  const Finding& f = group.first();
  const std::string title =
      fmt::format("{}: {} ({})", f.result.operation, gist_of(f), f.result.finding_class);
  fmt::print(out, "\n  {}  {}\n", f.id, wrapped(title, 8));
  print_finding_row(out, "wrong", wrong_line(f));
  print_elements(f.result, 1, out);
  print_replay(group, out);
}

// Each clause with the driver's answer; a finding that takes two freedoms names both.
std::set<std::string> clauses_in(std::string permitted_by) {
  constexpr std::string_view kBetween = "); ";
  std::set<std::string> clauses;
  for (std::size_t at = 0; (at = permitted_by.find(kBetween)) != std::string::npos;) {
    clauses.insert(permitted_by.substr(0, at + 1));
    permitted_by.erase(0, at + kBetween.size());
  }
  clauses.insert(std::move(permitted_by));
  return clauses;
}

using GroupPrinter = void (*)(const FindingGroup&, std::ostream&);

void print_groups(const Scorecard& card, suites::Standing standing, GroupPrinter print,
                  std::ostream& out) {
  std::vector<FindingGroup> groups = group_findings(card);
  std::erase_if(groups,
                [&](const FindingGroup& g) { return g.first().result.standing != standing; });
  if (groups.empty()) return;
  fmt::print(out, "\n{}: {}, {}\n",
             standing == suites::Standing::kViolation ? "Violations of what the device promises"
                                                      : "Deviations that its promises permit",
             plural(count_findings(card, standing), "case"), plural(groups.size(), "kind"));
  std::set<std::string> permissions;
  for (const FindingGroup& group : groups) {
    for (const Finding* finding : group.all)
      permissions.merge(clauses_in(finding->result.permitted_by));
  }
  for (const std::string& text : permissions) print_row(out, "permitted", text);
  for (std::size_t i = 0; i < std::min(groups.size(), kGroupsShown); ++i) print(groups[i], out);
  if (groups.size() > kGroupsShown) {
    fmt::print(out, "\n  {} not shown; `halfmark explain` and the HTML report list all\n",
               plural(groups.size() - kGroupsShown, "more kind"));
  }
}

void print_findings(const Scorecard& card, std::ostream& out) {
  print_groups(card, suites::Standing::kViolation, print_violation, out);
  print_groups(card, suites::Standing::kDeviation, print_deviation, out);
}

void print_canaries(const Scorecard& card, std::ostream& out) {
  const auto notable = [](const Canary& c) { return c.standing != "ok"; };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(card.canaries, notable));
  if (card.canaries.empty()) return;
  fmt::print(out, "\nPreflight canaries: {}, {} as promised\n", card.canaries.size(),
             card.canaries.size() - count);
  for (const Canary& canary : card.canaries) {
    if (!notable(canary)) continue;
    const std::string claim = canary.claim.empty() ? "" : fmt::format(" (claim: {})", canary.claim);
    const std::string text = fmt::format("{}: {}{}", canary.name, canary.observed, claim);
    fmt::print(out, "  {:<11}{}\n", canary.standing, wrapped(text, 13));
  }
}

std::string interval_text(const ThroughputRow& row) {
  if (!row.interval) return "too few samples";
  return fmt::format("{} to {}", duration(row.interval->low_ns), duration(row.interval->high_ns));
}

// Chains and streams, at every width: the roofs summarise them in a few lines.
bool is_of_roofs(const ThroughputRun& run) {
  return run.operation.starts_with("chain.") || run.operation.starts_with("stream.");
}

void print_throughput(const Scorecard& card, std::ostream& out) {
  if (card.throughput.empty()) return;
  out << "\nThroughput (median and its 95 % confidence interval)\n";
  TextTable table({"operator", "provider", "formats", "shape", "fill", "median", "interval",
                   "GFLOP/s", "GB/s", "gain"});
  for (const ThroughputRow& row : card.throughput) {
    const ThroughputRun& run = row.run;
    if (!row.excluded.empty() || is_of_roofs(run)) continue;
    const std::string fill = run.fill + (is_again(run) ? " (again)" : "");
    table.add({run.operation, run.provider, run.formats, run.shape, fill, duration(row.median_ns),
               interval_text(row), run.flops ? rate_text(row) : "-",
               run.bytes ? significant(gigabytes_per_second(row)) : "-",
               row.gain ? significant(row.gain->ratio) : "-"});
  }
  table.print(out, "  ");
  for (const ThroughputRow& row : card.throughput) {
    for (const std::string& line : {gain_line(row), casts_line(row)}) {
      if (!line.empty() && !is_of_roofs(row.run))
        fmt::print(out, "  {}\n", wrapped(kernel_text(row) + ": " + line, 4));
    }
  }
  for (const ThroughputRow& row : card.throughput) {
    if (row.excluded.empty()) continue;
    fmt::print(out, "  {}\n", wrapped("not counted: " + kernel_text(row) + ": " + row.excluded, 4));
  }
}

void print_operations(const Scorecard& card, std::ostream& out) {
  const auto& operations = card.true_fp16.operations;
  if (operations.empty()) return;
  out << "\nTrue fp16 (kinds not refuted by bits, time or instructions; GFLOP/s)\n";
  TextTable table({"operation", "kind", "fp16", "fp32", "gain", "at"});
  for (const Fp16Operation& o : operations)
    table.add({o.operation, o.kind, significant(o.gflops), rate_or_none(o.fp32_gflops),
               rate_or_none(o.gain), o.width});
  table.print(out, "  ");
  for (const Fp16Operation& o : operations)
    fmt::print(out, "  {}\n", wrapped(fmt::format("{}: {}", o.operation, o.sentence), 4));
}

void print_products(const Scorecard& card, std::ostream& out) {
  TextTable table({"operator", "provider", "formats", "shape", "kind", "fp16", "fp32", "gain"});
  bool any = false;
  for (const Fp16Operator& o : card.fp16_operators) {
    if (o.shape_class == "chain") continue;
    any = true;
    table.add({o.operation, o.provider, o.formats, o.shape, o.kind, significant(o.gflops),
               rate_or_none(o.fp32_gflops), rate_or_none(o.gain)});
  }
  if (!any) return;
  out << "\nProducts on fp16 data\n";
  table.print(out, "  ");
}

void print_roofs(const Scorecard& card, std::ostream& out) {
  const std::vector<std::string> lines = roof_lines(card);
  if (!lines.empty()) out << "\nRoofs (best measured rates)\n";
  for (const std::string& line : lines) fmt::print(out, "  {}\n", wrapped(line, 4));
}

void print_training_step(const Scorecard& card, std::ostream& out) {
  const TrainingStepText text = training_step_text(card);
  if (text.title.empty()) return;
  fmt::print(out, "\n{}\n", text.title);
  TextTable table(text.header);
  for (const std::vector<std::string>& row : text.rows) table.add(row);
  table.print(out, "  ");
  fmt::print(out, "  {}\n", wrapped(text.cost, 4));
}

void print_arithmetic(const Scorecard& card, std::ostream& out) {
  if (card.arithmetic.empty()) return;
  out << "\nArithmetic found\n";
  TextTable table({"operator", "provider", "formats", "shapes", "arithmetic", "cases"});
  std::set<std::vector<std::string>> rows;
  for (const ArithmeticEntry& a : card.arithmetic) {
    const bool named = a.outcome == "named";
    const std::vector<std::string> row = {
        a.operation,       a.provider, a.formats, shapes_text(a), named ? a.arithmetic : "none",
        explained_share(a)};
    if (rows.insert(row).second) table.add(row);
  }
  table.print(out, "  ");
  for (const ArithmeticEntry& a : card.arithmetic) {
    if (a.outcome != "named") fmt::print(out, "  {}\n", wrapped(arithmetic_line(a), 4));
  }
}

void print_accuracy(const Scorecard& card, std::ostream& out) {
  if (card.accuracy.empty()) return;
  out << "\nAccuracy (largest distance from the exact value in ULP; correctly rounded results "
         "count as 0.500)\n";
  TextTable table({"rule", "ulp", "allowed", "results", "farthest"});
  for (const AccuracyEntry& a : card.accuracy) {
    table.add({a.rule, ulps_text(a.farthest), allowed_text(a.farthest), grouped(a.farthest.results),
               farthest_line(a.farthest)});
  }
  table.print(out, "  ");
}

void print_limited(std::ostream& out, std::string_view label,
                   const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kLinesShown); ++i) {
    fmt::print(out, "       {:<10}{}\n", label, wrapped(lines[i], 17));
  }
  if (lines.size() > kLinesShown)
    fmt::print(out, "       {:<10}and {} more\n", label, lines.size() - kLinesShown);
}

void print_marks(const Scorecard& card, std::ostream& out) {
  out << "\nMarks\n";
  for (const Mark& mark : card.marks) {
    fmt::print(out, "  {:<5}{:<10}{}\n", mark.id, mark.held ? "held" : "withheld",
               wrapped(mark.title, 17));
    print_limited(out, "why", mark.reasons);
    print_limited(out, "scope", mark.scope);
  }
}

}  // namespace

void write_console(const Scorecard& card, std::ostream& out) {
  print_header(card, out);
  print_counts(card, out);
  print_findings(card, out);
  print_unanswered(card, out);
  print_canaries(card, out);
  print_arithmetic(card, out);
  print_accuracy(card, out);
  print_throughput(card, out);
  print_operations(card, out);
  print_products(card, out);
  print_roofs(card, out);
  print_training_step(card, out);
  print_marks(card, out);
}

}  // namespace halfmark::reports
