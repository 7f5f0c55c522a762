// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share: which cases, which devices.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "suites/registry.hpp"
#include "suites/runner/worker.hpp"

namespace halfmark::tools {

struct CaseOptions {
  std::vector<std::string> suites, filters;
  std::string level = "standard";
  std::uint64_t seed = 1;
  std::string shard;  // "2/8"
};

void add_case_options(CLI::App& verb, CaseOptions& options);

/// Throws UsageError that names the malformed word.
[[nodiscard]] suites::Selection selection_of(const CaseOptions& options);

struct DeviceOptions {
  std::vector<std::string> devices;
  std::vector<std::string> plugins;
  std::string stand_in;
  double timeout_seconds = 120;
};

void add_device_options(CLI::App& verb, DeviceOptions& options);

/// Adds --standin alone, for verbs that choose no device.
void add_stand_in_option(CLI::App& verb, std::string& name);

/// Makes the backend of that name find the stand-in of its libraries; "" changes nothing. Throws
/// UsageError that lists the stand-ins there are.
void use_stand_in(const std::string& name);

[[nodiscard]] suites::WorkerOptions worker_options(const DeviceOptions& options);

/// The devices meant, each once, in the order given; without selectors the default choice. Throws
/// EnvironmentError when there is none.
[[nodiscard]] std::vector<backends::DeviceInfo> choose_devices(const DeviceOptions& options);

}  // namespace halfmark::tools
