// SPDX-License-Identifier: Apache-2.0
// The verbs that read scorecards and touch no device: explain, compare, gate, report, validate.
#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/halfmark/report_verbs/report_verbs.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

Streams console() { return {.out = std::cout, .err = std::cerr}; }

void add_explain(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb =
      app.add_subcommand("explain", "What failed, which rule, which arithmetic explains it");
  verb->add_option("target", options->target,
                   "a finding such as out/host/scorecard.json#F001; without #ID all are listed")
      ->required()
      ->type_name("SCORECARD#FINDING");
  verb->callback(
      [&action, options] { action = [options] { return verb_explain(*options, console()); }; });
}

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "Two scorecards side by side");
  verb->add_option("a", options->a, "the first scorecard")->required()->type_name("A.json");
  verb->add_option("b", options->b, "the second scorecard")->required()->type_name("B.json");
  verb->callback(
      [&action, options] { action = [options] { return verb_compare(*options, console()); }; });
}

void add_gate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GateOptions>();
  CLI::App* verb = app.add_subcommand(
      "gate", "Whether a new scorecard may replace a baseline: exit code, JUnit, Markdown");
  verb->add_option("--baseline", options->baseline, "the scorecard of the last release")
      ->required()
      ->type_name("B.json");
  verb->add_option("--waivers", options->waivers,
                   "known findings, each with owner, reason and expiry")
      ->type_name("W.json");
  verb->add_option("--junit", options->junit, "write the outcome for a CI system")
      ->type_name("FILE");
  verb->add_option("--markdown", options->markdown, "write the outcome for a pull request")
      ->type_name("FILE");
  verb->add_option("new", options->candidate, "the scorecard to check")
      ->required()
      ->type_name("NEW.json");
  verb->callback(
      [&action, options] { action = [options] { return verb_gate(*options, console()); }; });
}

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand(
      "report", "A scorecard in another form: console, csv, html, json, junit, markdown");
  verb->add_option("format", options->format, "console, csv, html, json, junit or markdown")
      ->required()
      ->type_name("FORMAT");
  verb->add_option("scorecards", options->cards,
                   "one or more; html also takes what `fleet merge --json` and `lab --json` wrote")
      ->required()
      ->type_name("SCORECARD");
  verb->add_option("-o,--output", options->out,
                   "a file, or a folder for several; default: standard output")
      ->type_name("FILE|DIR");
  verb->callback(
      [&action, options] { action = [options] { return verb_report(*options, console()); }; });
}

void add_validate(CLI::App& app, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* verb = app.add_subcommand(
      "validate", "Whether a scorecard fits its JSON schema, its totals and its digest");
  verb->add_option("scorecards", options->cards, "one or more")->required()->type_name("SCORECARD");
  verb->callback(
      [&action, options] { action = [options] { return verb_validate(*options, console()); }; });
}

}  // namespace

void add_report_verbs(CLI::App& app, Action& action) {
  add_explain(app, action);
  add_compare(app, action);
  add_gate(app, action);
  add_report(app, action);
  add_validate(app, action);
}

}  // namespace halfmark::tools
