// SPDX-License-Identifier: Apache-2.0
// The identity of a device, as far as verdicts depend on it: one scorecard never mixes verdicts of
// two identities. Decides what counts: what the device reports in words (names, versions, promises,
// compilers, planted faults), its libraries, and the content of every file that its driver has
// loaded. Readings may change and do not count: memory sizes, telemetry, and numbers in
// vendor-specific fields. Assumes Linux: /proc lists the files that a process has loaded.
#pragma once

#include <sys/types.h>

#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "backends/device_info.hpp"

namespace halfmark::suites {

/// The files with mapped code in the lines of /proc/PID/maps, except those that are deleted or
/// in temporary places (a folder tmp, cache or .cache): compiled kernels have other names in
/// each process.
[[nodiscard]] std::set<std::string> code_in(std::istream& maps);

/// Digests, by path, of the code files that a worker has loaded and this program has not, and of
/// its plug-in. A file is read once, and again if its size, time or location has changed.
class LoadedFiles {
 public:
  [[nodiscard]] nlohmann::json of(pid_t worker, const std::string& plugin);

 private:
  struct Seen {
    std::string status, digest;
  };
  std::map<std::string, Seen> seen_;
};

[[nodiscard]] nlohmann::json device_identity(const backends::DeviceInfo& device,
                                             const nlohmann::json& loaded_files);

/// The first differences as text: "driver_version was "3.1", is "3.2""; empty if there are none.
[[nodiscard]] std::string difference(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace halfmark::suites
