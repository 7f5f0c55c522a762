// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "tools/halfmark/version.hpp"

namespace halfmark::tools {
namespace {

// Variables that change what a driver computes or which driver is found; nothing else of the environment is recorded.
constexpr const char* kVariables[] = {"OCL_ICD_VENDORS",     "OPENCL_VENDOR_PATH",   "OCL_ICD_FILENAMES",
                                      "POCL_DEVICES",        "POCL_MAX_PTHREAD_COUNT", "RUSTICL_ENABLE",
                                      "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",  "NVIDIA_TF32_OVERRIDE",
                                      "HALFMARK_CXX",        "HALFMARK_HOST_THREADS", "HALFMARK_HOST_SHUFFLE",
                                      "HALFMARK_PLUGIN_PATH"};

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

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

nlohmann::json gather_environment() {
  utsname machine = {};
  ::uname(&machine);
  nlohmann::json variables = nlohmann::json::object();
  for (const char* name : kVariables) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  return {{"halfmark", {{"version", kVersion}, {"compiler", __VERSION__}}},
          {"host",
           {{"cpu", after_colon("/proc/cpuinfo", "model name")},
            {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
            {"memory", after_colon("/proc/meminfo", "MemTotal")},
            {"kernel", fmt::format("{} {}", machine.sysname, machine.release)},
            {"architecture", machine.machine},
            {"os", os_name()}}},
          {"variables", variables},
          {"started", utc_now()}};
}

}  // namespace halfmark::tools
