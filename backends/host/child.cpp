// SPDX-License-Identifier: Apache-2.0
//
// Uses posix_spawn, which is safe with other threads running and cheap in a large process.
#include "backends/host/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "backends/environment_fault.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& call, int error) {
  throw EnvironmentFault(fmt::format("{}: {}", call, std::strerror(error)));
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

// "LC_ALL" of "LC_ALL=C".
[[nodiscard]] std::string_view name_of(std::string_view row) {
  return row.substr(0, row.find('='));
}

// The environment with the settings and LC_ALL=C, so that logs are the same on every machine.
[[nodiscard]] std::vector<std::string> environment_with(std::span<const std::string> settings) {
  std::vector<std::string> rows(settings.begin(), settings.end());
  rows.emplace_back("LC_ALL=C");
  const std::size_t own = rows.size();
  for (char** row = environ; row != nullptr && *row != nullptr; ++row) {
    const bool is_set =
        std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(own),
                    [&](const std::string& setting) { return name_of(setting) == name_of(*row); });
    if (!is_set) rows.emplace_back(*row);
  }
  std::erase_if(rows, [](const std::string& row) { return row.find('=') == row.npos; });
  return rows;
}

[[nodiscard]] std::vector<char*> pointers_to(std::span<const std::string> words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[nodiscard]] bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

[[nodiscard]] int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid", errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildResult run_child(std::span<const std::string> argv, std::span<const std::string> settings) {
  const std::vector<std::string> environment = environment_with(settings);
  Pipe pipe;
  const SpawnActions spawn(pipe.write_end());
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0].c_str(), spawn.actions(), nullptr,
                                 pointers_to(argv).data(), pointers_to(environment).data());
  if (error != 0) fail("cannot run '" + argv[0] + "'", error);
  pipe.close_write_end();
  ChildResult result;
  result.output = pipe.read_all();
  result.exit_status = wait_for(child);
  return result;
}

std::string program_of(const std::string& name) {
  if (name.find('/') != name.npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(file)) return file.string();
  }
  return {};
}

}  // namespace halfmark::backends::host
