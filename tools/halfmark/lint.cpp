// SPDX-License-Identifier: Apache-2.0
// `halfmark lint`: what a description of a model shows before it is trained. Touches no device.
#include "tools/halfmark/lint/lint.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

constexpr double kLeastGigabytes = 0.001, kMostGigabytes = 1e9;

}  // namespace

void add_lint(CLI::App& app, Action& action) {
  auto options = std::make_shared<LintOptions>();
  auto gigabytes = std::make_shared<double>(0);
  CLI::App* verb = app.add_subcommand(
      "lint", "What a model's description shows before training: formats, memory, rules");
  verb->add_option("model", options->model, "JSON; see tools/halfmark/lint/README.md")
      ->required()
      ->type_name("MODEL.json");
  verb->add_option("--card", options->card,
                   "a scorecard of the device: operators of the model that it gets wrong")
      ->type_name("SCORECARD");
  verb->add_option("--profile", options->profile,
                   "instead of the description's: " + names_of_cast_profiles())
      ->type_name("PROFILE");
  add_decimal(*verb, "--memory", *gigabytes, "says the largest batch that fits into so many GB",
              kLeastGigabytes, kMostGigabytes)
      ->type_name("GB");
  verb->add_flag("--json", options->as_json, "for programs");
  verb->footer(
      "Exit codes: 0 no rule of gravity warning or failure applies; 1 one does; 2 the description "
      "or the scorecard cannot be used.");
  verb->callback([&action, options, gigabytes] {
    action = [options, gigabytes] {
      if (*gigabytes > 0) options->memory_gb = *gigabytes;
      return lint_model(*options, std::cout);
    };
  });
}

}  // namespace halfmark::tools
