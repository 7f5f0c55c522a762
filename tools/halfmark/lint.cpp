// SPDX-License-Identifier: Apache-2.0
// `halfmark lint`: what a description of a model shows before it is trained. Touches no device.
#include "tools/halfmark/lint/lint.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <vector>

#include "reports/exit_codes.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

constexpr double kLeastGigabytes = 0.001, kMostGigabytes = 1e9;

// Of several models the gravest exit code counts; if one cannot be used, nothing is printed.
int lint_models(const std::vector<std::filesystem::path>& models, LintOptions options) {
  if (options.as_json && models.size() > 1)
    throw suites::UsageError("--json holds the report of one model; name one");
  std::ostringstream text;
  int code = reports::kExitConforms;
  for (const std::filesystem::path& model : models) {
    if (&model != &models.front()) text << '\n';
    options.model = model;
    code = reports::worse(code, lint_model(options, text));
  }
  std::cout << text.str();
  return code;
}

}  // namespace

void add_lint(CLI::App& app, Action& action) {
  auto options = std::make_shared<LintOptions>();
  auto models = std::make_shared<std::vector<std::filesystem::path>>();
  auto gigabytes = std::make_shared<double>(0);
  CLI::App* verb = app.add_subcommand(
      "lint", "What a model's description shows before training: formats, memory, rules");
  verb->add_option("models", *models, "one or more, as JSON; see tools/halfmark/lint/README.md")
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
  verb->callback([&action, options, models, gigabytes] {
    action = [options, models, gigabytes] {
      if (*gigabytes > 0) options->memory_gb = *gigabytes;
      return lint_models(*models, *options);
    };
  });
}

}  // namespace halfmark::tools
