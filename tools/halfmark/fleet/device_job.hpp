// SPDX-License-Identifier: Apache-2.0
// One `halfmark run` on one device as a process of its own, and the roll-up of what it left.
// Decides how it is started, ended and understood; agent_run.hpp decides when.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "fleet/rollup.hpp"
#include "suites/runner/run.hpp"

namespace halfmark::tools {

using Clock = std::chrono::steady_clock;

/// Digests of files as they are now. A file is read again if its size or time has changed.
class FilesNow {
 public:
  /// `loaded`: paths and what their digests were, as in a device's identity.
  [[nodiscard]] nlohmann::json digests_of(const nlohmann::json& loaded);

 private:
  std::map<std::string, std::string> digests_;  // by path, size and time
};

class DeviceJob {
 public:
  /// `question` is what the run is asked, as its journal has it (record.hpp). `folder` is the
  /// device's own: it holds the journal, the card and the roll-up.
  DeviceJob(backends::DeviceInfo device, fleet::Origin origin, nlohmann::json question,
            std::filesystem::path folder);
  DeviceJob(const DeviceJob&) = delete;
  DeviceJob& operator=(const DeviceJob&) = delete;
  ~DeviceJob();

  /// The whole answer of an earlier start of the same task to the same question, by the same device
  /// with the same files of its driver.
  [[nodiscard]] std::optional<fleet::Rollup> earlier_answer(FilesNow& files) const;

  /// Starts this program with `words`; continues the journal of an earlier start if it is about the
  /// same question and device, and otherwise puts it aside. Throws EnvironmentError.
  void start(std::vector<std::string> words);

  /// If the run that has ended refused the journal that it was to continue, puts it aside, starts
  /// once more, and returns true. Throws EnvironmentError.
  [[nodiscard]] bool starts_anew();

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
  /// What an earlier start was asked here, of the same device; nothing if there is no such journal.
  [[nodiscard]] std::optional<suites::DeviceRun> earlier_run() const;
  void put_journal_aside() const;
  void launch(std::vector<std::string> words);
  [[nodiscard]] fleet::Rollup read_answer() const;
  [[nodiscard]] std::string last_words() const;

  backends::DeviceInfo device_;
  fleet::Origin origin_;
  nlohmann::json question_;
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int exit_code_ = 3;
  bool stopped_ = false, resumed_ = false;
  std::vector<std::string> words_;
  Clock::time_point started_ = Clock::now(), ended_ = started_;
};

}  // namespace halfmark::tools
