// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>

#include "reference/fast/target.hpp"
#include "tools/halfmark/version.hpp"

namespace halfmark::tools {
namespace {

// Halfmark's own switches. Variables that change a driver's behaviour are recorded by its backend,
// with the device.
nlohmann::json own_variables() {
  nlohmann::json variables = nlohmann::json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with("HALFMARK_")) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

std::string after_colon(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find_first_not_of(" \t", line.find(':') + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "not available";
}

std::string os_name() {
  std::ifstream in("/etc/os-release");
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string name = line.substr(line.find('=') + 1);
    name.erase(std::remove(name.begin(), name.end(), '"'), name.end());
    return name;
  }
  return "not available";
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

nlohmann::json gather_environment() {
  utsname machine = {};
  ::uname(&machine);
  return {{"halfmark",
           {{"version", kVersion},
            {"compiler", __VERSION__},
            {"reference_engine", to_string(fast::default_target())}}},
          {"host",
           {{"cpu", after_colon("/proc/cpuinfo", "model name")},
            {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
            {"memory", after_colon("/proc/meminfo", "MemTotal")},
            {"kernel", fmt::format("{} {}", machine.sysname, machine.release)},
            {"architecture", machine.machine},
            {"os", os_name()}}},
          {"variables", own_variables()},
          {"started", utc_now()}};
}

}  // namespace halfmark::tools
