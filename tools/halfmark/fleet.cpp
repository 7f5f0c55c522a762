// SPDX-License-Identifier: Apache-2.0
// `halfmark fleet run` on every node, and `halfmark fleet merge` once: many devices, one answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "fleet/tiers.hpp"
#include "tools/halfmark/fleet/agent_run.hpp"
#include "tools/halfmark/fleet/merge_verb.hpp"
#include "tools/halfmark/golden.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

std::string tiers_text() {
  std::string text;
  for (const fleet::Tier& tier : fleet::kTiers) {
    const std::string budget = tier.repeats ? "--for" : fmt::format("{} s", tier.budget.count());
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", tier.name, budget);
  }
  return text;
}

std::string modes_text() {
  std::string text;
  for (const fleet::SoakMode& mode : fleet::kSoakModes)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", mode.name, mode.purpose);
  return text;
}

void add_fleet_run(CLI::App& fleet, Action& action) {
  auto options = std::make_shared<FleetRunOptions>();
  CLI::App* verb = fleet.add_subcommand(
      "run", "On every node: test its devices within a budget, into a folder that all nodes share");
  verb->add_option("folder", options->folder, "the shared folder")->required()->type_name("DIR");
  verb->add_option("--tier", options->tier, "how long and how much: " + tiers_text())
      ->type_name("TIER")
      ->capture_default_str();
  add_device_options(*verb, options->devices);
  verb->add_option("--suite", options->suites, "only this suite (repeatable)")->type_name("NAME");
  verb->add_option("--filter", options->filters, "only cases whose whole name matches (repeatable)")
      ->type_name("GLOB");
  add_seed(*verb, options->seed,
           "of all inputs, and of the share of cases; give all nodes the same");
  add_decimal(*verb, "--for", options->soak_seconds, "seconds that tier soak takes", 1, 31536000)
      ->type_name("SECONDS")
      ->capture_default_str();
  verb->add_option("--mode", options->soak_mode, "how tier soak spends them: " + modes_text())
      ->type_name("MODE")
      ->capture_default_str();
  add_golden_option(*verb, options->golden);
  verb->add_option("--run", options->run,
                   "name of the run, the same on all nodes; default: the launcher's job, or a new "
                   "name for each start by hand")
      ->type_name("NAME");
  verb->add_option("--node", options->node,
                   "name of this node; default: the launcher's, or the host's")
      ->type_name("NAME");
  add_whole_number(*verb, "--tasks", options->tasks,
                   "tasks of the run, where the launcher does not say", 1, 10'000'000)
      ->type_name("N");
  verb->callback([&action, options] {
    action = [options] { return fleet_run(*options, std::cout, std::cerr); };
  });
}

void add_fleet_golden(CLI::App& fleet, Action& action) {
  auto options = std::make_shared<GoldenOptions>();
  CLI::App* verb = fleet.add_subcommand(
      "golden", "Once: digests of all results that have one right answer, for --golden");
  verb->add_option("file", options->file, "the store")->required()->type_name("FILE");
  auto* level =
      verb->add_option("--level", options->level, "of the cases: smoke, standard, full, exhaustive")
          ->type_name("LEVEL")
          ->capture_default_str();
  auto* seed = add_seed(*verb, options->seed, "of all inputs");
  auto* seeds =
      add_whole_number(*verb, "--seeds", options->seeds, "so many seeds, from --seed on", 1, 10'000)
          ->type_name("N")
          ->capture_default_str();
  // A store has its own level and seeds: others beside --check would go unchecked.
  auto* check = verb->add_flag("--check", options->check,
                               "make nothing: recompute the cases of the store and compare")
                    ->excludes(level)
                    ->excludes(seed)
                    ->excludes(seeds);
  add_decimal(*verb, "--percent", options->percent, "with --check: a share of the cases", 0, 100)
      ->type_name("PERCENT")
      ->needs(check)
      ->capture_default_str();
  verb->callback(
      [&action, options] { action = [options] { return fleet_golden(*options, std::cout); }; });
}

void add_fleet_merge(CLI::App& fleet, Action& action) {
  auto options = std::make_shared<FleetMergeOptions>();
  CLI::App* verb = fleet.add_subcommand(
      "merge", "Once: a verdict about each device, outliers, and which nodes to drain");
  verb->add_option("folders", options->folders, "what `fleet run` or `run --out` wrote")
      ->required()
      ->type_name("DIR");
  verb->add_option("--roster", options->roster,
                   "the nodes that ought to answer: one in each line, NODE or NODE DEVICES")
      ->type_name("FILE");
  verb->add_option("--drain", options->drain,
                   "print the nodes to drain instead, as commands or names: slurm, kubernetes, "
                   "plain; the report goes to stderr")
      ->type_name("FORM");
  add_decimal(*verb, "--drain-cap", options->drain_cap_percent,
              "print no drain list of more than this share of the nodes", 0, 100)
      ->type_name("PERCENT")
      ->capture_default_str();
  verb->add_option("--metrics", options->metrics, "write metrics for a textfile collector")
      ->type_name("FILE");
  verb->add_option("--json", options->json, "write the whole report")->type_name("FILE");
  verb->add_option("--collect", options->collect,
                   "write all that was read into one file, NAME.rollups.jsonl, which another merge "
                   "reads in its folders")
      ->type_name("FILE");
  verb->add_option("--earlier", options->earlier,
                   "the --json of an earlier sweep (repeatable): since when a device is wrong")
      ->type_name("FILE");
  verb->callback([&action, options] {
    action = [options] { return fleet_merge(*options, std::cout, std::cerr); };
  });
}

}  // namespace

void add_fleet(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "fleet", "Many devices: test them under any launcher, and make one answer of them");
  verb->require_subcommand(1);
  add_fleet_run(*verb, action);
  add_fleet_golden(*verb, action);
  add_fleet_merge(*verb, action);
}

}  // namespace halfmark::tools
