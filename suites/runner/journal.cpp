// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "suites/core/errors.hpp"

namespace halfmark::suites {

using nlohmann::json;

namespace {

// A line cut off by a kill would run into the next one.
void drop_partial_line(int fd) {
  off_t size = ::lseek(fd, 0, SEEK_END);
  char last = '\n';
  while (size > 0 && ::pread(fd, &last, 1, size - 1) == 1 && last != '\n') --size;
  if (::ftruncate(fd, size) != 0)
    ::lseek(fd, 0, SEEK_END);  // then the reader will name the broken line
}

}  // namespace

Journal::Journal(std::filesystem::path file, Mode mode) : file_(std::move(file)) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | (mode == Mode::kFresh ? O_TRUNC : 0);
  fd_ = ::open(file_.c_str(), flags, 0644);
  if (fd_ < 0) {
    throw EnvironmentError(fmt::format("cannot write {}: {}; choose another folder with --out",
                                       file_.string(), std::strerror(errno)));
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is an error like a full disk
  if (mode == Mode::kAppend) drop_partial_line(fd_);
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::append(const char* kind, json fields) {
  fields["kind"] = kind;
  // A vendor's log may hold any bytes; a journal line must be valid UTF-8.
  const std::string line = fields.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = ::write(fd_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw EnvironmentError(
          fmt::format("cannot write {}: {}; what was measured before is in it; free some space and "
                      "run again with --resume",
                      file_.string(), std::strerror(errno)));
    }
    written += static_cast<std::size_t>(n);
  }
  ::fdatasync(fd_);
}

std::vector<json> read_journal(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    throw EnvironmentError(fmt::format("{} is no file that a run has written", file.string()));
  std::ifstream in(file);
  if (!in)
    throw EnvironmentError(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  std::vector<json> lines;
  std::string text;
  while (std::getline(in, text)) {
    if (in.eof()) break;  // no newline: cut off in the middle of a write
    json line = json::parse(text, nullptr, false);
    if (line.is_discarded() || !line.is_object() || !line.contains("kind")) {
      throw EnvironmentError(
          fmt::format("line {} of {} is not a journal line", lines.size() + 1, file.string()));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace halfmark::suites
