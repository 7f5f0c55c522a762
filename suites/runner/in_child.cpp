// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/in_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include "suites/core/errors.hpp"

namespace halfmark::suites {
namespace {

[[noreturn]] void work_and_exit(const std::function<int()>& work, int words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 0;
  std::string error;
  try {
    code = work();
  } catch (const std::exception& e) {
    error = e.what();
  }
  std::cout.flush();
  std::fflush(nullptr);
  static_cast<void>(!::write(words, error.data(), error.size()));
  ::_exit(code);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> chunk{};
  while (true) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

int in_child(const std::function<int()>& work) {
  std::array<int, 2> words{};
  if (::pipe2(words.data(), O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw EnvironmentError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) work_and_exit(work, words[1]);
  ::close(words[1]);
  const std::string error = read_all(words[0]);
  ::close(words[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    throw EnvironmentError(fmt::format("a driver ended its process: signal {} ({})",
                                       WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  }
  if (!error.empty()) throw EnvironmentError(error);
  return WEXITSTATUS(status);
}

}  // namespace halfmark::suites
