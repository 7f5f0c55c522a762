// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/options.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <stdexcept>

#include "backends/host/faults.hpp"
#include "backends/select.hpp"
#include "backends/standin/misbehaviour.hpp"
#include "reference/text/utf8.hpp"
#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/inventory.hpp"
#include "tools/halfmark/numbers.hpp"

namespace halfmark::tools {
namespace {

using suites::EnvironmentError;
using suites::UsageError;

bool parse_part(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 1;
}

void parse_shard(const std::string& text, suites::Selection& selection) {
  const auto slash = text.find('/');
  const std::string_view whole(text);
  const bool good = slash != std::string::npos &&
                    parse_part(whole.substr(0, slash), selection.shard_index) &&
                    parse_part(whole.substr(slash + 1), selection.shard_count) &&
                    selection.shard_index <= selection.shard_count;
  if (!good)
    throw UsageError(fmt::format("shard '{}' is not I/N with 1 <= I <= N <= {}, such as 2/8",
                                 text::visible_line(text),
                                 std::numeric_limits<std::uint32_t>::max()));
}

// Journals and scorecards are UTF-8 and contain these words.
void check_utf8(const char* option, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string fault = text::utf8_fault(word);
    if (fault.empty()) continue;
    throw UsageError(
        fmt::format("{} '{}' is not UTF-8: {}", option, text::visible_line(word), fault));
  }
}

// A plug-in that could not even be loaded is named by its file; its status is a complete line.
std::string broken_line(const suites::BackendReport& report) {
  if (report.backend == report.plugin) return report.status;
  if (report.plugin.empty()) return fmt::format("backend {}: {}", report.backend, report.status);
  return fmt::format("backend {} (plug-in {}): {}", report.backend, report.plugin, report.status);
}

}  // namespace

void add_case_options(CLI::App& verb, CaseOptions& options) {
  verb.add_option("--suite", options.suites,
                  "only this suite (repeatable); `halfmark list` names them")
      ->type_name("NAME");
  verb.add_option("--filter", options.filters,
                  "only cases whose whole name matches, such as 'gemm.fp16.*' (repeatable)")
      ->type_name("GLOB");
  verb.add_option("--level", options.level,
                  "how much: smoke (a minute), standard, full, exhaustive")
      ->type_name("LEVEL")
      ->capture_default_str();
  add_seed(verb, options.seed, "of all inputs; part of every case name");
  verb.add_option("--shard", options.shard, "only share I of N of the cases, such as 2/8")
      ->type_name("I/N");
}

suites::Selection selection_of(const CaseOptions& options) {
  check_utf8("--filter", options.filters);
  suites::Selection selection;
  const auto level = suites::parse_level(options.level);
  if (!level) {
    throw UsageError(
        fmt::format("there is no level '{}'; choose from: smoke, standard, full, exhaustive",
                    text::visible_line(options.level)));
  }
  selection.level = *level;
  selection.seed = options.seed;
  selection.suites = options.suites;
  selection.filters = options.filters;
  if (!options.shard.empty()) parse_shard(options.shard, selection);
  return selection;
}

void add_device_options(CLI::App& verb, DeviceOptions& options) {
  verb.add_option("--device", options.devices,
                  "a device: host, opencl:0, opencl:pocl (part of a name), cuda:*, all "
                  "(repeatable); without it every "
                  "accelerator, else the processor and the CPU devices of drivers, else host")
      ->type_name("SEL");
  verb.add_option("--plugin", options.plugins,
                  "load a vendor's backend from this file (repeatable)")
      ->type_name("FILE");
  add_stand_in_option(verb, options.stand_in);
  verb.add_option("--fault", options.fault,
                  "plant a known fault in the software device, to check that it is found; "
                  "`halfmark list --faults` lists them; no mark can be held")
      ->type_name("ID[:NAME=N,...]");
  add_timeout(
      verb, "--timeout", options.timeout_seconds,
      "seconds for one case before it counts as hung; half as much again for the list of devices");
}

void add_stand_in_option(CLI::App& verb, std::string& name) {
  verb.add_option("--standin", name,
                  "test a backend without its vendor's hardware: the software device, or another "
                  "vendor's device (NAME:forward), replaces the vendor's libraries; no mark can be "
                  "held")
      ->type_name("BACKEND[:forward]");
}

namespace {

namespace fs = std::filesystem;

constexpr double kListingTimes = 1.5;  // of the limit of a case: a cold disk is slow
constexpr std::string_view kForward = ":forward";

fs::path stand_in_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib" /
         "halfmark" / "standin";
}

// Name and folder of each stand-in, sorted by name.
std::map<std::string, fs::path> stand_ins() {
  std::map<std::string, fs::path> rows;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(stand_in_folder(), error)) {
    const std::string backend = entry.path().filename().string();
    rows[backend] = entry.path();
    if (fs::is_directory(entry.path() / kForward.substr(1), error))
      rows[backend + std::string(kForward)] = entry.path() / kForward.substr(1);
  }
  return rows;
}

void check_misbehaviour() {
  const char* words = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  if (words == nullptr) return;
  try {
    static_cast<void>(backends::shim::standin::Misbehaviour(words));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

std::string backend_of(const std::string& name) { return name.substr(0, name.find(':')); }

}  // namespace

std::string stand_in_of(const std::string& kind, const std::string& backend,
                        const nlohmann::json& extra) {
  if (kind != "stand-in") return {};
  const auto what = extra.find("stand_in");
  const bool forwards = what != extra.end() && what->is_string() &&
                        what->get_ref<const std::string&>().starts_with("forwarded");
  return backend + std::string(forwards ? kForward : "");
}

void use_stand_in(const std::string& name) {
  if (name.empty()) return;
  check_misbehaviour();
  const std::map<std::string, fs::path> present = stand_ins();
  const auto found = present.find(name);
  if (found == present.end()) {
    std::string names;
    for (const auto& [other, folder] : present) names += (names.empty() ? "" : ", ") + other;
    throw UsageError(fmt::format("unknown stand-in '{}'; choose from: {}", text::visible_line(name),
                                 names.empty() ? "none in " + stand_in_folder().string() : names));
  }
  std::string variable = "HALFMARK_" + backend_of(name);
  for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const char* library : {"_DRIVER", "_COMPILER", "_BLAS", "_BLASLT", "_DNN", "_TELEMETRY"})
    ::setenv((variable + library).c_str(), found->second.c_str(), 1);
}

void use_fault(const std::string& text) {
  using backends::host::kFaultVariable;
  try {
    const std::string name = backends::host::parse_fault(text).name();
    if (!name.empty()) ::setenv(kFaultVariable, name.c_str(), 1);
  } catch (const backends::host::FaultError& error) {
    throw UsageError(error.what());
  }
}

suites::WorkerOptions worker_options(const DeviceOptions& options,
                                     const backends::DeviceInfo& device) {
  const auto limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000));
  return {.plugin = device.plugin, .case_limit = limit};
}

std::vector<std::string> faults_beside(const suites::BackendReport& report) {
  if (report.devices.empty()) return {};
  const nlohmann::json& extra = report.devices.front().extra;
  const auto faults = extra.find(backends::kFaultsBeside);
  if (faults == extra.end() || !faults->is_array()) return {};
  std::vector<std::string> lines;
  for (const nlohmann::json& fault : *faults) {
    if (fault.is_string()) lines.push_back(text::visible_line(fault.get<std::string>()));
  }
  return lines;
}

std::chrono::milliseconds listing_limit(double timeout_seconds) {
  constexpr double kLeast = 8, kMost = 180;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(timeout_seconds, kLeast, kMost) * 1000));
}

namespace {

// Adds the status of the backend that the selector names when it has no devices.
std::vector<backends::DeviceInfo> resolve_or_explain(
    const std::string& selector, const std::vector<backends::DeviceInfo>& found,
    const std::vector<suites::BackendReport>& reports) {
  try {
    return backends::resolve(selector, found);
  } catch (const backends::NoSuchDevice& error) {
    const std::string backend = backend_of(selector);
    for (const suites::BackendReport& report : reports) {
      if (report.backend != backend) continue;
      if (report.devices.empty())
        throw backends::NoSuchDevice(
            fmt::format("{}; {}: {}", error.what(), backend, report.status));
      if (const auto faults = faults_beside(report); !faults.empty())
        throw backends::NoSuchDevice(
            fmt::format("{}; {}: {}", error.what(), backend, fmt::join(faults, "; ")));
    }
    throw;
  }
}

std::vector<backends::DeviceInfo> devices_of(const std::vector<suites::BackendReport>& reports) {
  std::vector<backends::DeviceInfo> found;
  for (const suites::BackendReport& report : reports)
    found.insert(found.end(), report.devices.begin(), report.devices.end());
  return found;
}

// Only the backends that the selectors name, so that a run of one device does not wait for the
// drivers of others. All of them where a selector finds nothing: the error lists what exists.
std::vector<suites::BackendReport> reports_for(const std::vector<std::string>& selectors,
                                               const DeviceOptions& options) {
  suites::InventoryOptions inventory{
      .plugins = options.plugins,
      .limit = listing_limit(kListingTimes * options.timeout_seconds),
      .backends = {}};
  for (const std::string& selector : selectors) inventory.backends.push_back(backend_of(selector));
  std::vector<suites::BackendReport> reports = suites::take_inventory(inventory);
  try {
    for (const std::string& selector : selectors)
      static_cast<void>(backends::resolve(selector, devices_of(reports)));
  } catch (const backends::NoSuchDevice&) {
    inventory.backends.clear();
    reports = suites::take_inventory(inventory);
  }
  return reports;
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  const std::string full = name;
  return full.substr(0, full.find('.'));
}

ChosenDevices choose_devices(const DeviceOptions& options) {
  check_utf8("--plugin", options.plugins);
  use_stand_in(options.stand_in);
  use_fault(options.fault);
  std::vector<std::string> selectors = options.devices;
  if (selectors.empty() && !options.stand_in.empty()) selectors = {backend_of(options.stand_in)};
  if (selectors.empty() && !options.fault.empty()) selectors = {"host"};
  ChosenDevices result;
  const std::vector<suites::BackendReport> reports = reports_for(selectors, options);
  const std::vector<backends::DeviceInfo> found = devices_of(reports);
  for (const suites::BackendReport& report : reports) {
    if (!report.broken) continue;
    fmt::print(std::cerr, "halfmark: {}\n", broken_line(report));
    result.asked_in_vain = result.asked_in_vain || report.asked;
  }
  std::vector<backends::DeviceInfo>& chosen = result.devices;
  if (selectors.empty()) chosen = backends::default_devices(found);
  for (const std::string& selector : selectors) {
    for (backends::DeviceInfo& device : resolve_or_explain(selector, found, reports)) {
      const bool known = std::any_of(chosen.begin(), chosen.end(),
                                     [&](const auto& c) { return c.selector == device.selector; });
      if (!known) chosen.push_back(std::move(device));
    }
  }
  for (const backends::DeviceInfo& device : chosen) {
    const bool is_software =
        device.kind == "software" ||
        stand_in_of(device.kind, device.backend, device.extra) == device.backend;
    if (!options.fault.empty() && !is_software) {
      throw UsageError(
          fmt::format("no fault can be planted in {}; choose --device host or a "
                      "stand-in",
                      device.selector));
    }
  }
  if (chosen.empty())
    throw EnvironmentError("no device was found; `halfmark devices` says what is missing and why");
  return result;
}

}  // namespace halfmark::tools
