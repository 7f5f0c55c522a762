// SPDX-License-Identifier: Apache-2.0
// The journal of a run: one JSON object per line, appended and flushed to disk before the next case
// starts, so that a killed run loses at most the current case. Decides the line kinds: "run",
// "device", "canaries", "self-test", "arithmetic", "case", "incident", "throughput", "duel",
// "training-step", "end", and how a line proves that it is intact and follows its predecessor: its
// first member `check` is the content_digest of the previous check and of the line's own text
// without it. Scorecards are made from it. Does not exclude a second process: see folder_lock.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halfmark::suites {

/// Every complete line of a journal, and where the next one goes.
struct JournalText {
  std::vector<nlohmann::json> lines;
  std::string check;        // `check` of the last line
  std::uint64_t bytes = 0;  // length of the complete lines
};

/// Ignores an incomplete last line, as a kill leaves it. Throws EnvironmentError, with file, line
/// and remedy, if the file cannot be read, is not a journal, or has lines that are damaged, missing
/// or from another journal.
[[nodiscard]] JournalText read_journal(const std::filesystem::path& file);

/// Throws EnvironmentError with `error` about one line, with file, line and remedy, as
/// read_journal does.
[[noreturn]] void refuse_journal(const std::filesystem::path& file, std::size_t line,
                                 const std::string& error);

class Journal {
 public:
  /// Starts a new journal and overwrites the file. Both constructors throw EnvironmentError that
  /// names the file and the reason.
  explicit Journal(std::filesystem::path file);
  /// Continues after `before`, which read_journal returned; truncates whatever follows it.
  Journal(std::filesystem::path file, const JournalText& before);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes one line and waits until it is on disk. Throws EnvironmentError (for example on a full
  /// disk); earlier lines stay intact.
  void append(const char* kind, nlohmann::json fields);

 private:
  std::filesystem::path file_;
  std::string check_;
  int fd_ = -1;
};

}  // namespace halfmark::suites
