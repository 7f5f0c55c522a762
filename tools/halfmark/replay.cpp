// SPDX-License-Identifier: Apache-2.0
// `halfmark replay CASE|SCORECARD#FINDING`: one case again, explained.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "reports/explain.hpp"
#include "reports/scorecard.hpp"
#include "reports/validate.hpp"
#include "reports/writers/story.hpp"
#include "suites/core/errors.hpp"
#include "suites/runner/run.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/record.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::UsageError;

struct ReplayOptions {
  std::string what;
  DeviceOptions devices;
};

// SCORECARD#FINDING names the case and, unless --device says otherwise, the device that it was
// found on.
std::string case_named(const std::string& what, DeviceOptions& devices) {
  const auto hash = what.rfind('#');
  if (hash == std::string::npos) return what;
  const std::string file = what.substr(0, hash);
  const std::string id = what.substr(hash + 1);
  try {
    const reports::Scorecard card = reports::read_scorecard(file);
    const reports::Finding* finding = reports::find_finding(card, id);
    if (finding == nullptr) {
      throw UsageError(
          fmt::format("{} has no finding '{}'; it has {}", file, id, card.findings.size()));
    }
    if (devices.devices.empty()) devices.devices.push_back(reports::device_text(card, "selector"));
    return finding->result.name;
  } catch (const reports::CardError& e) {
    throw UsageError(e.what());
  }
}

int replay_on(const backends::DeviceInfo& device, const suites::Case& c,
              const DeviceOptions& options) {
  suites::Worker worker(worker_options(options, device));
  suites::DeviceRun run;
  suites::Selection selection;
  selection.seed = c.seed;
  run.identity = identity_of(selection, "");
  run.environment = nlohmann::json::object();
  run.device = worker.open(device.selector);
  run.results.push_back(worker.run(c));
  run.expected_cases = 1;
  run.completed = true;
  const suites::CaseResult& result = run.results.front();
  fmt::print("{} on {} ({}): {}\n", result.name, run.device.selector, run.device.name,
             name_of(result.verdict));
  fmt::print("  rule {}: {}\n  source {}\n", result.rule, result.promise, result.source);
  if (!result.reason.empty()) fmt::print("  {}\n", result.reason);
  fmt::print("  {} elements compared, {} differ; digest of the outputs {}\n", result.elements,
             result.mismatches, result.digest.empty() ? "none" : result.digest);
  const reports::Scorecard card = reports::tally(record_of(run, {}));
  for (const reports::Finding& finding : card.findings) reports::explain(card, finding, std::cout);
  std::cout.flush();
  return reports::exit_code(card, {});
}

int replay(ReplayOptions options) {
  const suites::Case c = suites::parse_case(case_named(options.what, options.devices));
  int code = 0;
  for (const auto& device : choose_devices(options.devices).devices) {
    code = std::max(code, replay_on(device, c, options.devices));
  }
  return code;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb = app.add_subcommand("replay", "One case again, explained");
  verb->add_option("what", options->what,
                   "a case's whole name, or SCORECARD#FINDING such as out/host/scorecard.json#F001")
      ->required()
      ->type_name("CASE|SCORECARD#FINDING");
  add_device_options(*verb, options->devices);
  verb->callback([&action, options] { action = [options] { return replay(*options); }; });
}

}  // namespace halfmark::tools
