// SPDX-License-Identifier: Apache-2.0
// A summary for a code review, a wiki or the page of a CI job. Escapes every text of the card; the
// wrong bits are only in the scorecard.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reports/throughput.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace {

std::string safe(std::string_view text) { return escape_markdown(text); }

std::string how_explained(const Finding& finding) {
  const std::string line = safe(cause_line(finding));
  const std::string_view label = cause_label(finding);
  if (line.empty()) return was_cause_sought(finding) ? "no named arithmetic" : "not looked for";
  return label == "explained by" ? line : fmt::format("{}: {}", label, line);
}

void print_suites(const Scorecard& card, std::ostream& out) {
  out << "\n## Cases\n\n| suite | cases | pass | violation | deviation | not supported | other |\n"
         "|---|--:|--:|--:|--:|--:|--:|\n";
  for (const SuiteTally& suite : card.suites) {
    const Outcomes o = outcomes_of(card, suite.name);
    fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} |\n", safe(suite.name), grouped(o.cases),
               grouped(o.pass), grouped(o.violations), grouped(o.deviations),
               grouped(o.not_supported), grouped(o.other));
  }
}

void print_marks(const Scorecard& card, std::ostream& out) {
  out << "\n## Marks\n\n| mark | | meaning | why withheld, or what it covers "
         "|\n|---|---|---|---|\n";
  for (const Mark& mark : card.marks) {
    fmt::print(out, "| **{}** | {} | {} | {} |\n", safe(mark.id), mark.held ? "held" : "withheld",
               safe(mark.title), safe(joined(mark.held ? mark.scope : mark.reasons, "; ")));
  }
}

void print_findings(const Scorecard& card, std::ostream& out) {
  const auto groups = group_findings(card);
  if (groups.empty()) return;
  out << "\n## Findings\n\n| id | standing | severity | class | rule | cases | explained by | "
         "replay |\n"
         "|---|---|---|---|---|--:|---|---|\n";
  for (const FindingGroup& group : groups) {
    const Finding& f = group.first();
    fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} | {} |\n", safe(f.id),
               name_of(f.result.standing), safe(f.severity), safe(f.result.finding_class),
               safe(f.result.rule), group.all.size(), how_explained(f), safe(f.replay));
  }
}

void print_arithmetic(const Scorecard& card, std::ostream& out) {
  if (card.arithmetic.empty()) return;
  out << "\n## Arithmetic found\n\n";
  for (const ArithmeticEntry& entry : card.arithmetic) {
    fmt::print(out, "- {}; {} cases\n", safe(arithmetic_line(entry)), safe(explained_share(entry)));
  }
}

std::string note_of(const ThroughputRow& row) {
  if (!row.excluded.empty()) return "not counted: " + row.excluded;
  std::vector<std::string> notes;
  if (is_again(row.run)) notes.emplace_back(kTimedAgain);
  if (row.gain) notes.push_back(row.gain->sentence);
  if (row.casts) notes.push_back(casts_line(row));
  return joined(notes, "; ");
}

void print_accuracy(const Scorecard& card, std::ostream& out) {
  if (card.accuracy.empty()) return;
  out << "\n## Accuracy\n\n| rule | ULP, at most | allowed | results | farthest |\n"
         "|---|--:|--:|--:|---|\n";
  for (const AccuracyEntry& a : card.accuracy) {
    fmt::print(out, "| {} | {} | {} | {} | {} |\n", safe(a.rule), ulps_text(a.farthest),
               allowed_text(a.farthest), grouped(a.farthest.results),
               safe(farthest_line(a.farthest)));
  }
}

void print_throughput(const Scorecard& card, std::ostream& out) {
  if (card.throughput.empty()) return;
  out << "\n## Throughput\n\n| operator | provider | formats | shape | fill | median | GFLOP/s | "
         "GB/s | "
         "gain | note |\n"
         "|---|---|---|---|---|--:|--:|--:|--:|---|\n";
  for (const ThroughputRow& row : card.throughput) {
    const ThroughputRun& run = row.run;
    const bool counts = row.excluded.empty();
    fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", safe(run.operation),
               safe(run.provider), safe(run.formats), safe(run.shape), safe(run.fill),
               counts ? duration(row.median_ns) : "", counts ? rate_text(row) : "",
               counts && run.bytes ? significant(gigabytes_per_second(row)) : "",
               row.gain ? significant(row.gain->ratio) : "", safe(note_of(row)));
  }
}

void print_operations(const Scorecard& card, std::ostream& out) {
  if (card.true_fp16.operations.empty()) return;
  out << "\n## True fp16, by operation\n\n| operation | kind | fp16 GFLOP/s | fp32 GFLOP/s | gain "
         "| at | "
         "why |\n|---|---|--:|--:|--:|---|---|\n";
  for (const Fp16Operation& o : card.true_fp16.operations)
    fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} |\n", safe(o.operation), safe(o.kind),
               significant(o.gflops), rate_or_none(o.fp32_gflops), rate_or_none(o.gain),
               safe(o.width), safe(o.sentence));
}

void print_fp16_operators(const Scorecard& card, std::ostream& out) {
  if (card.fp16_operators.empty()) return;
  out << "\n## True fp16, the evidence\n\n| operator | provider | formats | shape | kind | bits | "
         "time | instructions |\n|---|---|---|---|---|---|---|---|\n";
  for (const Fp16Operator& o : card.fp16_operators) {
    fmt::print(out, "| {} | {} | {} | {} | {} |", safe(o.operation), safe(o.provider),
               safe(o.formats), safe(o.shape), safe(o.kind));
    for (const Evidence& e : o.evidence) fmt::print(out, " {} |", safe(e.statement));
    out << '\n';
  }
}

void print_roofs(const Scorecard& card, std::ostream& out) {
  const std::vector<std::string> lines = roof_lines(card);
  if (!lines.empty()) out << "\n## Roofs\n\n";
  for (const std::string& line : lines) fmt::print(out, "- {}\n", safe(line));
}

}  // namespace

void write_markdown(const Scorecard& card, std::ostream& out) {
  fmt::print(out, "# Halfmark: {}\n\n**{}**\n\n", safe(device_line(card)), safe(headline(card)));
  fmt::print(out, "- asked: {}\n", safe(asked_line(card)));
  fmt::print(out, "- true fp16: {}\n", safe(card.true_fp16.verdict));
  for (const std::string& line : subnormal_lines(card)) fmt::print(out, "- {}\n", safe(line));
  for (const std::string& reason : card.incomplete_reasons)
    fmt::print(out, "- incomplete: {}\n", safe(reason));
  fmt::print(out, "- digest: {}\n", safe(card.digest));
  print_marks(card, out);
  print_suites(card, out);
  print_findings(card, out);
  print_arithmetic(card, out);
  print_accuracy(card, out);
  print_throughput(card, out);
  print_operations(card, out);
  print_fp16_operators(card, out);
  print_roofs(card, out);
}

}  // namespace halfmark::reports
