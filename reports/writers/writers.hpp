// SPDX-License-Identifier: Apache-2.0
// Every report format, one row each. A writer sees only a const scorecard and a stream, and the
// same card gives the same bytes.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

void write_console(const Scorecard& card, std::ostream& out);
/// One line for each timed row.
void write_csv(const Scorecard& card, std::ostream& out);
void write_html(const Scorecard& card, std::ostream& out);
void write_json(const Scorecard& card, std::ostream& out);
/// A test case per case. Violations are failures, and dead cases are errors. A deviation passes
/// with a note in its system-out, as it does in a run without required marks. Not supported,
/// skipped and untrusted cases are skipped. The suite "run" has a failure for each canary that
/// breaks a promise, for losses beyond the allowed ones and for each required mark that is
/// withheld, and an error for a partial run; it is absent if there is none.
void write_junit(const Scorecard& card, std::ostream& out);
void write_markdown(const Scorecard& card, std::ostream& out);

struct Writer {
  std::string_view format;  // what the user types
  std::string_view suffix;  // of a file name: "html"
  std::string_view summary;
  void (*write)(const Scorecard&, std::ostream&);
};

[[nodiscard]] std::span<const Writer> all_writers();
[[nodiscard]] const Writer* find_writer(std::string_view format);  // null when unknown

}  // namespace halfmark::reports
