// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn, because it is safe beside other threads and cheap in a large process.
#include "backends/host/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::backends::host {
namespace {

[[noreturn]] void fail(const std::string& call, int error) {
  throw BackendError(call, error, std::strerror(error));
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe2", errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_write_end();
  }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void close_write_end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  [[nodiscard]] std::string read_all() const {
    std::string text;
    std::array<char, 4096> block{};
    while (true) {
      const ssize_t got = read(ends_[0], block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return text;
      text.append(block.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  std::array<int, 2> ends_{};
};

class SpawnActions {
 public:
  explicit SpawnActions(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// The environment with LC_ALL=C, so that logs read the same everywhere.
[[nodiscard]] std::vector<char*> english_environment() {
  static char locale[] = "LC_ALL=C";
  std::vector<char*> rows;
  for (char** row = environ; row != nullptr && *row != nullptr; ++row) {
    if (!std::string_view(*row).starts_with("LC_ALL=")) rows.push_back(*row);
  }
  rows.push_back(locale);
  rows.push_back(nullptr);
  return rows;
}

[[nodiscard]] int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid", errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildResult run_child(std::span<const std::string> argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Pipe pipe;
  const SpawnActions spawn(pipe.write_end());
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], spawn.actions(), nullptr, words.data(),
                                 english_environment().data());
  if (error != 0) fail("cannot run '" + argv[0] + "'", error);
  pipe.close_write_end();
  ChildResult result;
  result.output = pipe.read_all();
  result.exit_status = wait_for(child);
  return result;
}

}  // namespace halfmark::backends::host
