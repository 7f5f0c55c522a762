// SPDX-License-Identifier: Apache-2.0
// The journal of a run: one JSON object a line, appended and flushed to disk before the next case
// starts, so that a killed run loses at most the case it was on. Decides the line kinds: "run",
// "device", "canaries", "arithmetic", "case", "incident", "throughput", "end". Scorecards are made
// from it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace halfmark::suites {

class Journal {
 public:
  enum class Mode { kFresh, kAppend };
  /// Throws EnvironmentError that names the file and the reason.
  Journal(std::filesystem::path file, Mode mode);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes one line and waits until the disk has it. Throws EnvironmentError (a full disk, say);
  /// the lines before it stay whole.
  void append(const char* kind, nlohmann::json fields);

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

/// Every whole line of a journal; a last line cut off by a kill is left out. Throws
/// EnvironmentError when the file cannot be read or is not a journal.
[[nodiscard]] std::vector<nlohmann::json> read_journal(const std::filesystem::path& file);

}  // namespace halfmark::suites
