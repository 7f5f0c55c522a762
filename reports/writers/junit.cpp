// SPDX-License-Identifier: Apache-2.0
// JUnit XML: a test suite per suite, a test case per case, and the suite "run" with what else keeps
// a run from conforming. See writers.hpp for what counts as a failure.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "reports/incidents.hpp"
#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace {

using suites::Standing;
using suites::Verdict;
using FindingsByCase = std::map<std::string_view, const Finding*>;

std::string safe(std::string_view text) { return escape_markup(text); }

std::string tell(const Finding& f) {
  const suites::CaseResult& r = f.result;
  std::string text = fmt::format("{} {}, {}: {}\n", f.id, name_of(r.standing), f.severity,
                                 meaning_of(r.finding_class));
  const auto line = [&](std::string_view label, const std::string& what) {
    if (!what.empty()) text += fmt::format("{}: {}\n", label, what);
  };
  line("rule", fmt::format("{} [{}; {}]", r.promise, r.rule, r.source));
  line("permitted by", r.permitted_by);
  line("wrong", wrong_line(f));
  line("where", where_line(f));
  if (!r.wrong.empty())
    line("element", operands_line(r.wrong.front()) + " " + outcome_line(r.wrong.front()));
  if (const std::string cause = cause_line(f); !cause.empty()) line(cause_label(f), cause);
  line("smallest", reduction_line(f));
  line("replay", f.replay);
  return text;
}

void print_element(std::ostream& out, std::string_view tag, std::string_view type,
                   const std::string& message, const std::string& text) {
  fmt::print(out, "      <{} type=\"{}\" message=\"{}\">{}</{}>\n", tag, safe(type), safe(message),
             safe(text), tag);
}

void print_outcome(const CaseLine& line, const Finding* finding, std::ostream& out) {
  const std::string details = finding ? tell(*finding) : line.reason;
  switch (line.verdict) {
    case Verdict::kPass:
      return;
    case Verdict::kFail:
      if (finding && finding->result.standing == Standing::kDeviation) {
        fmt::print(out, "      <system-out>{}</system-out>\n", safe(details));
      } else {
        print_element(out, "failure", finding ? finding->result.finding_class : "unexplained",
                      finding ? wrong_line(*finding) : line.reason, details);
      }
      return;
    case Verdict::kNotSupported:
    case Verdict::kSkipped:
    case Verdict::kUntrusted:
      fmt::print(out, "      <skipped message=\"{}: {}\"/>\n", name_of(line.verdict),
                 safe(line.reason));
      return;
    case Verdict::kError:
    case Verdict::kCrash:
    case Verdict::kHang:
    case Verdict::kDeviceLost:
      print_element(out, "error", name_of(line.verdict), line.reason, details);
      return;
  }
}

struct Counts {
  std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

Counts count(const VerdictCounts& v, const Outcomes& outcomes) {
  return {.tests = v.total(),
          .failures = outcomes.violations,
          .errors = v.died(),
          .skipped = v[Verdict::kNotSupported] + v[Verdict::kSkipped] + v[Verdict::kUntrusted]};
}

// What keeps the run from conforming besides its cases.
struct Bar {
  std::string name;
  std::string_view type;
  std::string message, text;
  bool is_error = false;
};

std::vector<Bar> bars_of(const Scorecard& card) {
  std::vector<Bar> bars;
  for (const Canary& c : card.canaries) {
    if (c.standing == name_of(Standing::kViolation))
      bars.push_back(
          {"canary." + c.name, "canary", c.observed,
           c.claim.empty() ? c.meaning : fmt::format("{} (claim: {})", c.meaning, c.claim)});
  }
  if (const Losses losses = losses_in(card.environment, card.expected_cases); losses.beyond())
    bars.push_back({"losses", "losses", sentence(losses), ""});
  if (!card.complete) {
    bars.push_back({"complete", "partial", joined(card.incomplete_reasons, "; "), "", true});
    return bars;
  }
  for (const std::string& id : missing_marks(card)) {
    const Mark* mark = find_mark(card, id);
    bars.push_back({"mark." + id, "mark", "a required mark is withheld",
                    mark == nullptr ? "" : joined(mark->reasons, "\n")});
  }
  return bars;
}

Counts count(const std::vector<Bar>& bars) {
  const auto errors = static_cast<std::uint64_t>(std::ranges::count_if(bars, &Bar::is_error));
  return {.tests = bars.size(), .failures = bars.size() - errors, .errors = errors};
}

Counts sum_of(const Counts& a, const Counts& b) {
  return {.tests = a.tests + b.tests,
          .failures = a.failures + b.failures,
          .errors = a.errors + b.errors,
          .skipped = a.skipped + b.skipped};
}

std::string attributes(const Counts& c) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", c.tests,
                     c.failures, c.errors, c.skipped);
}

double seconds_of(const Scorecard& card, std::string_view suite) {
  const auto times = std::ranges::find(card.times.suites, suite, &SuiteTimes::name);
  return times == card.times.suites.end() ? 0 : times->execute_seconds + times->refer_seconds;
}

void print_properties(const Scorecard& card, std::ostream& out) {
  const std::pair<std::string_view, std::string> properties[] = {
      {"device", device_line(card)}, {"selector", device_text(card, "selector")},
      {"asked", asked_line(card)},   {"status", card.complete ? "COMPLETE" : "PARTIAL"},
      {"digest", card.digest},
  };
  out << "    <properties>\n";
  for (const auto& [name, value] : properties) {
    fmt::print(out, "      <property name=\"{}\" value=\"{}\"/>\n", name, safe(value));
  }
  out << "    </properties>\n";
}

void print_suite(const Scorecard& card, const SuiteTally& suite, const FindingsByCase& findings,
                 std::ostream& out) {
  fmt::print(out, "  <testsuite name=\"{}\" {} time=\"{:.3f}\">\n", safe(suite.name),
             attributes(count(suite.verdicts, outcomes_of(card, suite.name))),
             seconds_of(card, suite.name));
  print_properties(card, out);
  const std::string prefix = suite.name + ".";
  for (const CaseLine& line : card.cases) {
    if (!line.name.starts_with(prefix)) continue;
    const auto finding = findings.find(line.name);
    fmt::print(out, "    <testcase classname=\"halfmark.{}\" name=\"{}\">\n", safe(suite.name),
               safe(line.name));
    print_outcome(line, finding == findings.end() ? nullptr : finding->second, out);
    out << "    </testcase>\n";
  }
  out << "  </testsuite>\n";
}

void print_run(const Scorecard& card, const std::vector<Bar>& bars, std::ostream& out) {
  if (bars.empty()) return;
  fmt::print(out, "  <testsuite name=\"run\" {} time=\"0.000\">\n", attributes(count(bars)));
  print_properties(card, out);
  for (const Bar& bar : bars) {
    fmt::print(out, "    <testcase classname=\"halfmark.run\" name=\"{}\">\n", safe(bar.name));
    print_element(out, bar.is_error ? "error" : "failure", bar.type, bar.message, bar.text);
    out << "    </testcase>\n";
  }
  out << "  </testsuite>\n";
}

}  // namespace

void write_junit(const Scorecard& card, std::ostream& out) {
  FindingsByCase findings;
  for (const Finding& finding : card.findings) findings[finding.result.name] = &finding;
  const std::vector<Bar> bars = bars_of(card);
  const Counts of_cases = count(total_verdicts(card), outcomes_of(card, ""));
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  fmt::print(out, "<testsuites name=\"halfmark\" {}>\n", attributes(sum_of(of_cases, count(bars))));
  for (const SuiteTally& suite : card.suites) print_suite(card, suite, findings, out);
  print_run(card, bars, out);
  out << "</testsuites>\n";
}

}  // namespace halfmark::reports
