// SPDX-License-Identifier: Apache-2.0
// What a device is, as far as verdicts depend on it: verdicts of two identities never stand in one
// scorecard. Decides what counts: what the device says of itself in words (names, versions,
// promises, compilers, planted faults), its libraries, and the content of every file that its
// driver has loaded. Readings may move
// and do not count: sizes of memory, telemetry, and numbers among what only one vendor says.
// Assumes Linux: /proc says what a process has loaded.
#pragma once

#include <sys/types.h>

#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "backends/device_info.hpp"

namespace halfmark::suites {

/// Of the lines of /proc/PID/maps: files that code was mapped from, but those that are gone or lie
/// where things are kept for a while (a folder tmp, cache or .cache): compiled kernels have other
/// names in each process.
[[nodiscard]] std::set<std::string> code_in(std::istream& maps);

/// Digests of the files of code that a worker has loaded and this program has not, and of its
/// plug-in, by path. A file is read once, and again when its size, time or place has changed.
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

/// The first things that differ, for a reader: "driver_version was "3.1", is "3.2""; empty where
/// nothing does.
[[nodiscard]] std::string difference(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace halfmark::suites
