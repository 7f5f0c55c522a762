// SPDX-License-Identifier: Apache-2.0
// One `halfmark run` on one device as a process of its own, and the roll-up of what it left.
// Decides how it is started, ended and understood; agent_run.hpp decides when.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "fleet/rollup.hpp"

namespace halfmark::tools {

using Clock = std::chrono::steady_clock;

class DeviceJob {
 public:
  /// `folder` is the device's own: it holds the journal, the card and the roll-up.
  DeviceJob(const backends::DeviceInfo& device, fleet::Origin origin, std::filesystem::path folder);
  DeviceJob(const DeviceJob&) = delete;
  DeviceJob& operator=(const DeviceJob&) = delete;
  ~DeviceJob();

  /// Whether an earlier start of the same task already has the whole answer.
  [[nodiscard]] bool is_answered() const;

  /// Starts this program with `words`; continues the journal of an earlier start.
  /// Throws EnvironmentError.
  void start(std::vector<std::string> words);

  void ask_to_stop();  // the run still writes what it found
  void kill();

  /// True if the process has ended (or was never started).
  [[nodiscard]] bool has_ended();

  /// Writes the roll-up and returns it. `budget` is named if the run was stopped because of it.
  [[nodiscard]] fleet::Rollup roll_up(std::chrono::milliseconds budget);

  [[nodiscard]] int exit_code() const { return exit_code_; }
  [[nodiscard]] bool was_stopped() const { return stopped_; }
  [[nodiscard]] std::chrono::duration<double> took() const { return ended_ - started_; }

 private:
  [[nodiscard]] fleet::Rollup read_answer() const;
  [[nodiscard]] std::string last_words() const;

  fleet::Origin origin_;
  fleet::DeviceIdentity identity_;
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int exit_code_ = 3;
  bool stopped_ = false;
  Clock::time_point started_ = Clock::now(), ended_ = started_;
};

}  // namespace halfmark::tools
