// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share: which cases, which devices.
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suites/registry.hpp"
#include "suites/runner/inventory.hpp"
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
  std::string fault;
  double timeout_seconds = std::chrono::duration<double>(suites::kCaseLimit).count();
};

void add_device_options(CLI::App& verb, DeviceOptions& options);

/// Adds only --standin, for verbs that choose no device.
void add_stand_in_option(CLI::App& verb, std::string& name);

/// Makes the backend of that name load the stand-in of its libraries; "" changes nothing. Throws
/// UsageError that lists the stand-ins, or the words of HALFMARK_STAND_IN_MISBEHAVE.
void use_stand_in(const std::string& name);

/// The value of --standin that gives a device with this description; "" if it is no stand-in.
[[nodiscard]] std::string stand_in_of(const std::string& kind, const std::string& backend,
                                      const nlohmann::json& extra);

/// Plants a fault in the software device of this process's workers; "" plants none. Throws
/// UsageError that lists the ids or the parameters.
void use_fault(const std::string& text);

/// Options for the worker of a chosen device.
[[nodiscard]] suites::WorkerOptions worker_options(const DeviceOptions& options,
                                                   const backends::DeviceInfo& device);

/// The chosen devices, each once, in the order given; the default choice without selectors. Names
/// every broken backend on stderr. Throws EnvironmentError when there is no device.
struct ChosenDevices {
  std::vector<backends::DeviceInfo> devices;
  bool asked_in_vain = false;  // a plug-in given with --plugin cannot be used
};
[[nodiscard]] ChosenDevices choose_devices(const DeviceOptions& options);

/// What a backend found beside its devices and could not use, each as one line.
[[nodiscard]] std::vector<std::string> faults_beside(const suites::BackendReport& report);

/// Time limit for drivers to list their devices: these seconds, within 8 s and 180 s. A driver that
/// loads slowly is no slow case: the first load of a vendor's libraries from a cold disk takes
/// minutes (backends/shim gives each search 55 s, and readings 5 s).
[[nodiscard]] std::chrono::milliseconds listing_limit(double timeout_seconds);

/// Of this machine, without its domain.
[[nodiscard]] std::string host_name();

}  // namespace halfmark::tools
