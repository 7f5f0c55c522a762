// SPDX-License-Identifier: Apache-2.0
// `halfmark diagnose`: what a training log says about its training, or a scorecard about trainings
// on its device. Touches no device.
#include "tools/halfmark/training/diagnose.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

struct Words {
  DiagnoseOptions options;
  bool rules = false;
};

int diagnose(const Words& words) {
  if (words.rules) list_training_rules(std::cout);
  if (!words.options.log.empty()) return diagnose_training(words.options, std::cout);
  if (words.rules) return 0;
  throw suites::UsageError("name a training log or a scorecard, or --rules");
}

}  // namespace

void add_diagnose(CLI::App& app, Action& action) {
  auto words = std::make_shared<Words>();
  CLI::App* verb = app.add_subcommand(
      "diagnose",
      "What a training log or a scorecard says about training: rules with thresholds and advice");
  verb->add_option("log", words->options.log,
                   "a scorecard; or one JSON object per line (see the README of training); or what "
                   "`halfmark lab --json` wrote")
      ->type_name("CARD|LOG");
  verb->add_option("--mode", words->options.mode,
                   "of an experiment only this mode, such as 'device, fp16'")
      ->type_name("NAME");
  verb->add_option("--card", words->options.card,
                   "a scorecard of the device: operators of the model that it gets wrong")
      ->type_name("SCORECARD");
  verb->add_option("--profile", words->options.profile,
                   "limits of norms: study (0.001 to 100), guide (each layer, 1e-7 to 1e4), strict "
                   "(to 10)")
      ->capture_default_str();
  verb->add_flag("--json", words->options.as_json, "for programs");
  verb->add_flag("--rules", words->rules, "instead: every rule, with its threshold");
  verb->callback([&action, words] { action = [words] { return diagnose(*words); }; });
}

}  // namespace halfmark::tools
