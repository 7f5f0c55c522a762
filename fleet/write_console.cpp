// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "fleet/statistics.hpp"
#include "fleet/writers.hpp"
#include "reference/text/visible.hpp"
#include "reports/plain_plural.hpp"

namespace halfmark::fleet {
namespace {

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostOutliers = 20;

using reports::plain_plural;

std::string shown(const std::string& foreign) { return text::visible_line(foreign, 600); }

void write_head(const FleetReport& report, std::ostream& out) {
  const std::string roster =
      report.nodes_expected == 0 ? "" : fmt::format(" of {} on the roster", report.nodes_expected);
  fmt::print(out, "{}, {} answered{}, {}, {}\n", plain_plural(report.devices, "device"),
             plain_plural(report.nodes_answered, "node"), roster,
             plain_plural(report.runs.size(), "run"), plain_plural(report.rollups, "roll-up"));
  for (const DeviceVerdict verdict : kAllDeviceVerdicts) {
    if (report.count(verdict) > 0)
      fmt::print(out, "  {:<24} {}\n", name_of(verdict), report.count(verdict));
  }
}

void write_row(const DeviceRow& row, std::ostream& out) {
  const std::string many = row.devices > 1 ? fmt::format(" ({} devices)", row.devices) : "";
  fmt::print(out, "\n{} {}{}: {}", shown(row.node), shown(row.selector), many,
             name_of(row.verdict));
  if (row.scope != Scope::kNone) fmt::print(out, ", look at the {}", name_of(row.scope));
  fmt::print(out, "\n  {}\n", shown(row.evidence));
  std::string steps;
  for (const LadderStep& step : row.ladder)
    steps += fmt::format("{}{}: {}", steps.empty() ? "" : "; ", step.step, step.outcome);
  if (!steps.empty()) fmt::print(out, "  {}\n", shown(steps));
  if (!row.next.empty()) fmt::print(out, "  next: {}\n", shown(row.next));
}

void write_history(const DeviceRow& row, std::uint64_t sweeps, std::ostream& out) {
  if (sweeps == 0 || !is_found_wrong(row.verdict)) return;
  fmt::print(out, "  since {}, and in {} of {} before\n", shown(row.since), row.wrong_before,
             plain_plural(sweeps, "sweep"));
}

void write_recurrences(const FleetReport& report, std::ostream& out) {
  if (report.recurrences.empty()) return;
  fmt::print(out, "\nwrong in earlier sweeps only\n");
  for (std::size_t i = 0; i < report.recurrences.size() && i < kMostRows; ++i) {
    const Recurrence& one = report.recurrences[i];
    fmt::print(out, "  {} {}: {} in {} of {}, last {}\n", shown(one.node), shown(one.selector),
               shown(one.verdict), one.sweeps, report.earlier_sweeps, shown(one.last));
  }
}

void write_rates(const FleetReport& report, std::ostream& out) {
  if (report.rate_comparisons == 0) {
    fmt::print(out, "\nrates: not compared; that needs 16 devices of one kind with times\n");
    return;
  }
  fmt::print(
      out, "\nrates: {} comparisons, {}; 0.01 false alarms are expected\n", report.rate_comparisons,
      report.outliers.empty() ? "no outlier" : plain_plural(report.outliers.size(), "outlier"));
  for (std::size_t i = 0; i < report.outliers.size() && i < kMostOutliers; ++i) {
    const Outlier& one = report.outliers[i];
    fmt::print(
        out, "  {} {}: {} {:.4g}, median {:.4g} ({:.1f} %), {:.1f} spreads below, cut {:.1f}; {}\n",
        shown(one.node), shown(one.selector), shown(one.rate), one.value, one.median,
        100 * (one.value / one.median - 1), one.spreads_below, one.cut,
        !one.has_clock  ? "no clock to divide by"
        : one.per_cycle ? "slow per cycle: the chip or its driver"
                        : "slow by its clock: power or cooling");
  }
}

void write_self_tests(const FleetReport& report, std::ostream& out) {
  const std::uint64_t answers = report.self_tests + report.untested;
  if (answers > 0)
    fmt::print(out, "\nself-test: an injected fault was noticed before {} of {}\n",
               report.self_tests, plain_plural(answers, "answer"));
}

void write_bound(const FleetReport& report, std::ostream& out) {
  if (report.clean_trials == 0) return;
  fmt::print(
      out,
      "\nbound: no wrong answer in {} trials of conformant devices, so fewer than {:.2g} per "
      "trial are wrong (95 %, for the cases and data tried)\n",
      report.clean_trials, rule_of_three(report.clean_trials));
}

}  // namespace

void write_console(const FleetReport& report, std::ostream& out) {
  write_head(report, out);
  for (std::size_t i = 0; i < report.rows.size() && i < kMostRows; ++i) {
    write_row(report.rows[i], out);
    write_history(report.rows[i], report.earlier_sweeps, out);
  }
  if (report.rows.size() > kMostRows)
    fmt::print(out, "\n... and {} more; --json FILE has all\n", report.rows.size() - kMostRows);
  write_recurrences(report, out);
  write_rates(report, out);
  write_self_tests(report, out);
  write_bound(report, out);
  if (!report.notes.empty()) fmt::print(out, "\nnotes\n");
  for (const std::string& note : report.notes) fmt::print(out, "  {}\n", shown(note));
}

}  // namespace halfmark::fleet
