// SPDX-License-Identifier: Apache-2.0
// `halfmark devices`: every device of every backend, what it offers, and what is missing and why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "suites/core/errors.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

struct DevicesOptions {
  bool json = false;
  std::vector<std::string> plugins;
  std::string stand_in;
};

void print_device(const backends::DeviceInfo& d) {
  fmt::print("  {:<12} {}{}\n", d.selector, d.name,
             d.alias.empty() ? "" : fmt::format("  [{}]", d.alias));
  fmt::print("               {}; {}; driver {}; {} compute units, {:.1f} GiB\n", d.kind,
             d.platform.empty() ? d.vendor : d.platform, d.driver_version, d.compute_units,
             static_cast<double>(d.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  for (const backends::Promise& p : d.promises) {
    fmt::print("               {} {:<36} {}\n", p.offered ? "yes" : "no ", p.capability,
               p.evidence);
  }
}

nlohmann::json as_json(const std::vector<suites::BackendReport>& reports) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& report : reports) {
    nlohmann::json devices = nlohmann::json::array();
    for (const auto& device : report.devices) devices.push_back(backends::to_json_object(device));
    list.push_back(
        {{"backend", report.backend}, {"status", report.status}, {"devices", std::move(devices)}});
  }
  return {{"backends", std::move(list)}};
}

int devices(const DevicesOptions& options) {
  use_stand_in(options.stand_in);
  suites::Worker worker({.plugins = options.plugins});
  const auto reports = worker.enumerate();
  if (options.json) {
    fmt::print("{}\n", as_json(reports).dump(2));
    return 0;
  }
  for (const auto& report : reports) {
    fmt::print("{}: {}\n", report.backend, report.status);
    for (const auto& device : report.devices) print_device(device);
  }
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* verb = app.add_subcommand(
      "devices", "Every device of every backend: what it offers, what is missing and why");
  verb->add_flag("--json", options->json, "as JSON, with everything the driver says");
  verb->add_option("--plugin", options->plugins,
                   "load a vendor's backend from this file (repeatable)")
      ->type_name("FILE");
  add_stand_in_option(*verb, options->stand_in);
  verb->callback([&action, options] { action = [options] { return devices(*options); }; });
}

}  // namespace halfmark::tools
