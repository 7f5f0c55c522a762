// SPDX-License-Identifier: Apache-2.0
// `halfmark devices`: every device of every backend, what it offers, and what is missing and why.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "suites/runner/inventory.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

struct DevicesOptions {
  bool json = false;
  double timeout_seconds = 180;
  std::vector<std::string> plugins;
  std::string stand_in;
};

void print_promise(const backends::Promise& row, std::string_view owner = "") {
  fmt::print(std::cout, "               {} {:<36} {}\n", row.offered ? "yes" : "no ",
             fmt::format("{}{}", owner, row.capability), row.evidence);
}

// "library NAME 1.5.3: gemm", in the columns of the promises, and where it promises something else.
void print_library(const backends::Library& row) {
  const std::string title =
      fmt::format("{} {}{}{}: {}", row.kind, row.name, row.version.empty() ? "" : " ", row.version,
                  fmt::join(row.operators, " "));
  fmt::print(std::cout, "               {} {:<36} {}\n", row.usable ? "yes" : "no ", title,
             row.evidence);
  for (const backends::Promise& p : row.promises) print_promise(p, row.name + ": ");
}

void print_device(const backends::DeviceInfo& d) {
  fmt::print(std::cout, "  {:<12} {}{}\n", d.selector, d.name,
             d.alias.empty() ? "" : fmt::format("  [{}]", d.alias));
  fmt::print(std::cout, "               {}; {}; driver {}; {} compute units, {:.1f} GiB\n", d.kind,
             d.platform.empty() ? d.vendor : d.platform, d.driver_version, d.compute_units,
             static_cast<double>(d.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
  for (const backends::Promise& p : d.promises) print_promise(p);
  for (const backends::Library& row : d.libraries) print_library(row);
}

std::string headline(const suites::BackendReport& report) {
  if (report.backend == report.plugin) return report.status;
  const std::string origin =
      report.plugin.empty() ? "" : fmt::format(" (plug-in {})", report.plugin);
  return fmt::format("{}{}: {}", report.backend, origin, report.status);
}

nlohmann::json as_json(const std::vector<suites::BackendReport>& reports) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& report : reports) {
    nlohmann::json devices = nlohmann::json::array();
    for (const auto& device : report.devices) devices.push_back(backends::to_json_object(device));
    nlohmann::json row = {
        {"backend", report.backend}, {"status", report.status}, {"devices", std::move(devices)}};
    if (!report.plugin.empty()) row["plugin"] = report.plugin;
    list.push_back(std::move(row));
  }
  return {{"backends", std::move(list)}};
}

int devices(const DevicesOptions& options) {
  use_stand_in(options.stand_in);
  const auto reports = suites::take_inventory(
      {.plugins = options.plugins, .limit = listing_limit(options.timeout_seconds)});
  if (options.json) {
    fmt::print(std::cout, "{}\n", as_json(reports).dump(2));
    return 0;
  }
  for (const auto& report : reports) {
    fmt::print(std::cout, "{}\n", headline(report));
    for (const auto& device : report.devices) print_device(device);
    for (const std::string& fault : faults_beside(report))
      fmt::print(std::cout, "  left out     {}\n", fault);
  }
  return 0;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* verb = app.add_subcommand(
      "devices", "Every device of every backend: what it offers, what is missing and why");
  verb->add_flag("--json", options->json, "as JSON, with everything the driver reports");
  verb->add_option("--plugin", options->plugins,
                   "load a vendor's backend from this file (repeatable)")
      ->type_name("FILE");
  add_stand_in_option(*verb, options->stand_in);
  add_timeout(*verb, "--timeout", options->timeout_seconds,
              "seconds (8 to 180) for drivers to list their devices before they count as hung");
  verb->callback([&action, options] { action = [options] { return devices(*options); }; });
}

}  // namespace halfmark::tools
