// SPDX-License-Identifier: Apache-2.0
// The sections of the HTML page. Every text of the card goes through `safe`; a section without
// content prints nothing.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "reports/scorecard.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports::html {

[[nodiscard]] inline std::string safe(std::string_view text) { return escape_markup(text); }

/// A coloured word; `kind` is the CSS class and, unless `text` is given, the word.
[[nodiscard]] std::string tag(std::string_view kind, std::string_view text = {});

/// A row of a two-column list; prints nothing when the text is empty. Escapes `text`.
void print_fact(std::ostream& out, std::string_view label, std::string_view text);

void print_marks(const Scorecard& card, std::ostream& out);
void print_suites(const Scorecard& card, std::ostream& out);
void print_unanswered(const Scorecard& card, std::ostream& out);
void print_findings(const Scorecard& card, std::ostream& out);
void print_true_fp16(const Scorecard& card, std::ostream& out);
void print_canaries(const Scorecard& card, std::ostream& out);
void print_arithmetic(const Scorecard& card, std::ostream& out);
void print_accuracy(const Scorecard& card, std::ostream& out);
void print_throughput(const Scorecard& card, std::ostream& out);
void print_training_step(const Scorecard& card, std::ostream& out);
void print_not_asserted(const Scorecard& card, std::ostream& out);
void print_device(const Scorecard& card, std::ostream& out);
void print_environment(const Scorecard& card, std::ostream& out);
void print_times(const Scorecard& card, std::ostream& out);

}  // namespace halfmark::reports::html
