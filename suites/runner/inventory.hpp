// SPDX-License-Identifier: Apache-2.0
// What can be tested on this machine: every built-in backend and every plug-in, each asked in a
// process of its own, all at once. A driver that crashes, hangs or lies costs one line; the others
// are listed as if it were not there. Nothing foreign is loaded into the caller.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::suites {

struct InventoryOptions {
  std::vector<std::string> plugins;  // asked for by the user; those of HALFMARK_PLUGIN_PATH follow
  std::chrono::milliseconds limit = std::chrono::seconds(30);  // for all of them together
};

struct BackendReport {
  std::string backend;  // a plug-in that cannot be used is named by its file
  std::string status;   // "ok", or one line that says what is missing or wrong
  std::vector<backends::DeviceInfo> devices;
  std::string plugin;   // the file it came from; empty for a built-in backend
  bool asked = false;   // by InventoryOptions::plugins
  bool broken = false;  // crashed, hung, refused, or said what cannot be true
};

[[nodiscard]] std::vector<BackendReport> take_inventory(const InventoryOptions& options);

}  // namespace halfmark::suites
