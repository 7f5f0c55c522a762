// SPDX-License-Identifier: Apache-2.0
// The verbs that work only on scorecards: compare, gate, explain, validate, report. Wiring: they
// read files, call the reports library and turn its errors into one line and an exit code. They use
// no device and parse no command line. Exit codes: 0; 1 the answer is no (gate fails, card
// invalid); 2 a file or name that cannot be used; 3 a file that cannot be written; 4 the gate
// cannot decide, since a card is partial.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace halfmark::tools {

/// Where a verb writes: results to `out`, one-line errors to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

struct CompareOptions {
  std::filesystem::path a, b;
};
[[nodiscard]] int verb_compare(const CompareOptions& options, Streams streams);

struct GateOptions {
  std::filesystem::path baseline, candidate;
  std::optional<std::filesystem::path> waivers, junit, markdown;
  std::string today;  // YYYY-MM-DD; empty: today in UTC
};
[[nodiscard]] int verb_gate(const GateOptions& options, Streams streams);

struct ExplainOptions {
  std::string target;  // "out/toy/scorecard.json#F001"; without a finding, all are listed
};
[[nodiscard]] int verb_explain(const ExplainOptions& options, Streams streams);

struct ValidateOptions {
  std::vector<std::filesystem::path> cards;
};
[[nodiscard]] int verb_validate(const ValidateOptions& options, Streams streams);

struct ReportOptions {
  std::string format;
  std::vector<std::filesystem::path> cards;
  std::optional<std::filesystem::path>
      out;  // a file; with several cards, or ending in '/', a folder; absent: `out`
};
[[nodiscard]] int verb_report(const ReportOptions& options, Streams streams);

}  // namespace halfmark::tools
