// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/lab.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "reports/lab_page.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lab/convergence.hpp"
#include "tools/halfmark/lab/gains.hpp"
#include "tools/halfmark/lab/memory_verb.hpp"
#include "tools/halfmark/lab/mismatch.hpp"
#include "tools/halfmark/lab/report.hpp"
#include "tools/halfmark/lab/resident.hpp"
#include "tools/halfmark/lab/sweep.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;
using suites::UsageError;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kProviders[] = {"portable", "library"};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <typename Rows>
std::vector<std::string_view> names_of(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

void require_known(const char* what, const std::string& word,
                   const std::vector<std::string_view>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError(fmt::format("there is no {} '{}'; choose from: {}", what,
                               text::visible_line(word), fmt::join(known, ", ")));
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names = names_of(lab::experiments());
  names.emplace_back(kMemoryExperiment);
  return names;
}

// A device that runs kernels on a processor would take minutes for the full size.
bool is_slow(const backends::DeviceInfo& device) {
  return device.kind == "cpu" || device.kind == "software";
}

const lab::Size& chosen_size(const LabOptions& options, const lab::Design& design,
                             const std::optional<backends::DeviceInfo>& device) {
  const std::string name = !options.size.empty()        ? options.size
                           : device && is_slow(*device) ? "small"
                                                        : "full";
  require_known("size", name, names_of(design.sizes));
  return lab::size_of(design, name);
}

std::vector<const lab::Mode*> modes_of(const LabOptions& options, const lab::Experiment& experiment,
                                       bool is_long) {
  if (experiment.compares && !options.modes.empty())
    throw UsageError(fmt::format("{} compares all its modes with each other; leave out --mode",
                                 experiment.name));
  for (const std::string& name : options.modes)
    require_known("mode", name, names_of(experiment.modes));
  std::vector<const lab::Mode*> chosen;
  for (const lab::Mode& mode : experiment.modes) {
    const bool is_named =
        std::find(options.modes.begin(), options.modes.end(), mode.name) != options.modes.end();
    const bool by_default = options.modes.empty() && !(is_long && mode.is_slow_on_processors);
    if (by_default || is_named) chosen.push_back(&mode);
  }
  return chosen;
}

std::string provider_of(const LabOptions& options, const backends::DeviceInfo& device) {
  if (!options.provider.empty()) return options.provider;
  return device.library("library", "gemm", 0) != nullptr ? "library" : "portable";
}

// What would be noticed after minutes otherwise.
void require_usable(const LabOptions& options) {
  if (!options.provider.empty())
    require_known("provider", options.provider, {std::begin(kProviders), std::end(kProviders)});
  std::error_code unknown;
  if (std::filesystem::is_directory(options.json_file, unknown))
    throw UsageError(
        fmt::format("--json: {} is a folder; name a file", text::visible_line(options.json_file)));
}

json reference_report(const lab::Request& request) {
  const Clock::time_point start = Clock::now();
  const lab::Network network = lab::first_network(request);
  json list = json::array();
  for (const lab::Mode* mode : request.modes)
    list.push_back(lab::to_json(lab::in_reference(request, *mode, network)));
  return {{"seconds", seconds_since(start)}, {"modes", std::move(list)}};
}

json size_json(const lab::Design& design, const lab::Size& size) {
  return {{"name", size.name},
          {"shape", lab::shape_text(design, size)},
          {"full_shape", lab::shape_text(design, lab::size_of(design, "full"))},
          {"attenuation_log2", size.attenuation}};
}

json device_report(const LabOptions& options, const lab::Request& request,
                   const backends::DeviceInfo& device) {
  const Clock::time_point start = Clock::now();
  const std::string provider = provider_of(options, device);
  lab::Request runnable = request;
  json left_out = json::array();
  std::erase_if(runnable.modes, [&](const lab::Mode* mode) {
    const bool lacks = mode->narrow_sums && !device.offers("fp16.arithmetic");
    if (lacks) left_out.push_back(mode->name);
    return lacks;
  });
  json report = lab::ask_device({.request = runnable,
                                 .provider = provider,
                                 .diagnoses = !options.no_diagnosis,
                                 .limit = std::chrono::milliseconds(
                                     static_cast<std::int64_t>(options.timeout_seconds * 1000))},
                                device);
  report["left_out"] = std::move(left_out);
  report["selector"] = device.selector;
  report["name"] = device.name;
  report["provider"] = provider;
  report["gains"] = lab::gains_of(report.at("modes"));
  if (!options.fault.empty()) report["fault"] = options.fault;
  report["seconds"] = seconds_since(start);
  return report;
}

// A convergence compares the first turn of the batches with the last.
void require_turns(const lab::Request& request) {
  const std::size_t least = 2 * request.experiment->design().batches;
  if (request.experiment->name != "convergence" || request.steps >= least) return;
  throw UsageError(
      fmt::format("convergence takes {} steps or more, two turns of its {} batches; "
                  "leave out --steps or raise it",
                  least, least / 2));
}

void add_convergence(const lab::Design& design, json& report) {
  json& rows = report["convergence"];
  rows["reference"] = lab::convergence_of(report.at("reference").at("modes"), design.batches);
  if (report.contains("device") && !report.at("device").at("modes").empty())
    rows["device"] = lab::convergence_of(report.at("device").at("modes"), design.batches);
}

bool is_conforming(const json& report) {
  const auto device = report.find("device");
  if (device == report.end()) return true;
  const json& list = device->at("modes");
  return !device->contains("lost") && std::all_of(list.begin(), list.end(), [](const json& mode) {
    return mode.at("deviations").empty() && mode.at("died_of") != "recomputation" &&
           mode.at("observed_step").at("different") == 0 &&
           mode.at("observed").at("different") == 0;
  });
}

void write_json(const std::string& file, const json& report) {
  try {
    reports::write_file_atomically(file, text::visible_json(report.dump(2)) + "\n");
  } catch (const reports::FileError& error) {
    throw suites::EnvironmentError(error.what());
  }
}

}  // namespace

int run_lab(const LabOptions& options, const std::optional<backends::DeviceInfo>& device,
            std::ostream& out) {
  if (options.experiment == kMemoryExperiment) return run_memory(options, device, out);
  require_known("experiment", options.experiment, all_names());
  const lab::Experiment& experiment = lab::experiment_named(options.experiment);
  const lab::Design& design = experiment.design();
  const lab::Size& size = chosen_size(options, design, device);
  const bool is_long = size.name == "full" && device && is_slow(*device);
  const lab::Request request{.experiment = &experiment,
                             .size = &size,
                             .modes = modes_of(options, experiment, is_long),
                             .seed = options.seed,
                             .steps = options.steps == 0 ? experiment.steps : options.steps};
  require_turns(request);
  require_usable(options);
  json report = {{"schema", reports::kLabSchemaName},
                 {"experiment", options.experiment},
                 {"size", size_json(design, size)},
                 {"training", lab::training_text(design, request.modes[0]->rate)},
                 {"seed", options.seed},
                 {"steps", request.steps},
                 {"reference", reference_report(request)}};
  if (device) report["device"] = device_report(options, request, *device);
  if (options.experiment == "sweep") {
    report["scales_that_keep_up"] = lab::scales_that_keep_up(report["reference"]["modes"]);
    report["scales_of_equal_weights"] = lab::scales_of_equal_weights(report["reference"]["modes"]);
  }
  if (options.experiment == "convergence") add_convergence(design, report);
  if (experiment.infers) report["mismatches"] = lab::mismatches(report);
  lab::print_report(report, out);
  if (!options.json_file.empty()) write_json(options.json_file, report);
  return is_conforming(report) ? reports::kExitConforms : reports::kExitDoesNotConform;
}

std::string names_of_experiments() {
  std::vector<std::string_view> names = all_names();
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

void list_experiments(std::ostream& out) {
  for (const lab::Experiment& experiment : lab::experiments()) {
    fmt::print(out, "{:<11} {}\n", experiment.name, experiment.title);
    for (const lab::Mode& mode : experiment.modes)
      fmt::print(out, "  {:<16} {}\n", mode.name, mode.title);
  }
  fmt::print(out, "{:<11} {}\n", kMemoryExperiment, kMemoryTitle);
  for (const lab::MemoryMode& mode : lab::memory_modes())
    fmt::print(out, "  {:<16} {}\n", mode.name, mode.title);
}

}  // namespace halfmark::tools
