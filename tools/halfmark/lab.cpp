// SPDX-License-Identifier: Apache-2.0
// `halfmark lab`: experiments in loss-scaled training, in the reference and on a device.
#include "tools/halfmark/lab/lab.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "reports/exit_codes.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

struct Words {
  LabOptions options;
  DeviceOptions devices;
  bool list = false, reference_only = false;
};

int experiment(Words& words) {
  if (words.list) {
    list_experiments(std::cout);
    return 0;
  }
  if (words.options.experiment.empty()) throw suites::UsageError("name an experiment, or --list");
  if (words.reference_only) return run_lab(words.options, std::nullopt, std::cout);
  words.options.timeout_seconds = words.devices.timeout_seconds;
  words.options.fault = words.devices.fault;
  int code = reports::kExitConforms;
  const std::vector<backends::DeviceInfo> devices = choose_devices(words.devices).devices;
  if (devices.size() > 1 && !words.options.json_file.empty())
    throw suites::UsageError("--json holds the results of one device; name one with --device");
  for (const backends::DeviceInfo& device : devices)
    code = reports::worse(code, run_lab(words.options, device, std::cout));
  return code;
}

}  // namespace

void add_lab(CLI::App& app, Action& action) {
  auto words = std::make_shared<Words>();
  words->devices.timeout_seconds = 600;
  CLI::App* verb = app.add_subcommand(
      "lab", "Experiments in loss-scaled training: each step, each tensor, and what it died of");
  verb->add_option("experiment", words->options.experiment, names_of_experiments() + ": see --list")
      ->type_name("EXPERIMENT");
  add_device_options(*verb, words->devices);
  verb->add_option("--size", words->options.size,
                   "full, or small: narrower layers, the default on processors")
      ->type_name("SIZE");
  verb->add_option("--provider", words->options.provider,
                   "portable or library; by default the library where the device has one")
      ->type_name("PROVIDER");
  verb->add_option("--mode", words->options.modes,
                   "only this mode (repeatable), in experiments that do not compare theirs")
      ->type_name("MODE");
  add_whole_number(*verb, "--steps", words->options.steps,
                   "of each training, up to 1000; by default those of the experiment", 1, 1000)
      ->type_name("N");
  add_seed(*verb, words->options.seed, "of the data and the first weights");
  verb->add_option("--json", words->options.json_file,
                   "write every step and every tensor's statistics, for programs")
      ->type_name("FILE");
  verb->add_flag("--no-diagnosis", words->options.no_diagnosis,
                 "do not ask the suites what is wrong with an operator");
  CLI::Option* alone = verb->add_flag("--reference-only", words->reference_only, "use no device");
  for (const char* of_device :
       {"--device", "--plugin", "--standin", "--fault", "--provider", "--no-diagnosis"})
    alone->excludes(verb->get_option(of_device));
  verb->add_flag("--list", words->list, "instead: the experiments and their modes");
  verb->callback([&action, words] { action = [words] { return experiment(*words); }; });
}

}  // namespace halfmark::tools
