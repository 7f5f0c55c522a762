// SPDX-License-Identifier: Apache-2.0
// What can be tested on this machine: every built-in backend and every plug-in, each listed by a
// process of its own, all at once. A driver that crashes, hangs or misreports costs one line and
// does not affect the others. No foreign code is loaded into the caller.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::suites {

struct InventoryOptions {
  std::vector<std::string> plugins;  // named by the user; those of HALFMARK_PLUGIN_PATH are added
  std::chrono::milliseconds limit = std::chrono::seconds(30);  // for all of them in total
  // Asks only these of the built-in backends, if each of them is one; empty: all.
  std::vector<std::string> backends = {};
};

struct BackendReport {
  std::string backend;  // an unusable plug-in is named by its file
  std::string status;   // "ok", or one line that says what is missing or wrong
  std::vector<backends::DeviceInfo> devices;
  std::string plugin;   // its file; empty for a built-in backend
  bool asked = false;   // named in InventoryOptions::plugins
  bool broken = false;  // crashed, hung, refused, or reported something impossible
};

[[nodiscard]] std::vector<BackendReport> take_inventory(const InventoryOptions& options);

}  // namespace halfmark::suites
