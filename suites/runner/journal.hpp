// SPDX-License-Identifier: Apache-2.0
// The journal of a run: one JSON object a line, appended and flushed to disk before the next case
// starts, so that a killed run loses at most the case it was on. Decides the line kinds: "run",
// "device", "canaries", "arithmetic", "case", "incident", "throughput", "duel", "end", and how a
// line proves that it is whole and follows the one before it: its first member `check` is the
// content_digest of the check before it and of its own text without it. Scorecards are made from
// it. Does not keep two processes apart: folder_lock.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halfmark::suites {

/// Every whole line of a journal, and where the next one goes on.
struct JournalText {
  std::vector<nlohmann::json> lines;
  std::string check;        // of the last line
  std::uint64_t bytes = 0;  // of the lines
};

/// A last line that was cut off by a kill is left out. Throws EnvironmentError, with file, line and
/// remedy, when the file cannot be read, is no journal, or has lines that are damaged, missing or
/// of another journal.
[[nodiscard]] JournalText read_journal(const std::filesystem::path& file);

/// Throws what `error` says of one line, with file, line and remedy, as read_journal does.
[[noreturn]] void refuse_journal(const std::filesystem::path& file, std::size_t line,
                                 const std::string& error);

class Journal {
 public:
  /// Begins anew, whatever the file held. Both throw EnvironmentError that names the file and the
  /// reason.
  explicit Journal(std::filesystem::path file);
  /// Goes on behind `before`, which read_journal gave; what follows it is cut off.
  Journal(std::filesystem::path file, const JournalText& before);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Writes one line and waits until the disk has it. Throws EnvironmentError (a full disk, say);
  /// the lines before it stay whole.
  void append(const char* kind, nlohmann::json fields);

 private:
  std::filesystem::path file_;
  std::string check_;
  int fd_ = -1;
};

}  // namespace halfmark::suites
