// SPDX-License-Identifier: Apache-2.0
// The agent's own record in the shared folder, from its start to its end. Decides when it is
// written and what is left of an earlier start; fleet/agent.hpp decides its form.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "backends/device_info.hpp"
#include "fleet/agent.hpp"
#include "fleet/launcher.hpp"
#include "fleet/tiers.hpp"
#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/environment.hpp"

namespace halfmark::tools {

/// Throws EnvironmentError where the file cannot be written.
class AgentFile {
 public:
  AgentFile(const fleet::Task& task, const fleet::Tier& tier, std::filesystem::path file)
      : file_(std::move(file)) {
    record_ = {.origin = {.run = task.run, .task = task.task, .node = task.node},
               .launcher = task.launcher,
               .tier = std::string(tier.name),
               .started = utc_now(),
               .tasks = task.size,
               .attempts = 1 + earlier_attempts(),
               .devices = {},
               .finished = false,
               .error = {},
               .clock_ahead_s = 0};
    write();
    record_.clock_ahead_s = clock_ahead_s();
  }

  void name_devices(const std::vector<backends::DeviceInfo>& devices) {
    for (const auto& device : devices) record_.devices.push_back(device.selector);
    write();
  }
  void fail(const std::string& why) {
    record_.error = text::visible_line(why);
    finish();
  }
  void finish() {
    record_.finished = true;
    write();
  }
  [[nodiscard]] const fleet::Origin& origin() const { return record_.origin; }

 private:
  [[nodiscard]] std::uint64_t earlier_attempts() const {
    try {
      return fleet::parse_agent(reports::read_file(file_, fleet::kMostRollupBytes)).attempts;
    } catch (const std::exception&) {
      return 0;  // there was none, or it was cut off
    }
  }
  // The shared folder's server gives files its own time.
  [[nodiscard]] std::int64_t clock_ahead_s() const {
    struct stat status = {};
    if (::stat(file_.c_str(), &status) != 0) return 0;
    return static_cast<std::int64_t>(std::time(nullptr)) - status.st_mtim.tv_sec;
  }
  void write() const {
    try {
      reports::write_file_atomically(file_, fleet::print(record_));
    } catch (const reports::FileError& error) {
      throw suites::EnvironmentError(error.what());
    }
  }

  std::filesystem::path file_;
  fleet::AgentRecord record_;
};

}  // namespace halfmark::tools
