// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

#include "backends/device_info.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/float_state.hpp"
#include "reference/files/descriptor.hpp"

namespace halfmark::backends::cpu {
namespace {

using host::FloatControl;

[[noreturn]] void fail(const char* call) {
  throw EnvironmentFault(
      fmt::format("no process to try a library in: {}: {}; end other programs, or raise the limits "
                  "(`ulimit -a` "
                  "shows them)",
                  call, std::strerror(errno)));
}

// The first line of what was printed, at most 80 characters of it.
[[nodiscard]] std::string first_line_of(int fd) {
  std::string text(81, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.substr(0, std::min(text.find('\n'), std::size_t{80}));
}

// Threads of this process beside the one that asks; 0 where they cannot be counted.
[[nodiscard]] std::ptrdiff_t other_threads() {
  std::error_code unknown;
  const std::filesystem::directory_iterator threads("/proc/self/task", unknown);
  return std::max<std::ptrdiff_t>(std::distance(begin(threads), end(threads)) - 1, 0);
}

[[nodiscard]] std::string disturbance_of(FloatControl before, FloatControl after) {
  std::string words;
  if (before.word != after.word) {
    words = fmt::format("; it leaves the floating-point control word at {:x} instead of {:x}",
                        after.word, before.word);
  }
  // A pool with a thread for each processor is usual, however many the caller wants.
  const std::ptrdiff_t processors = std::max(1u, std::thread::hardware_concurrency());
  if (const std::ptrdiff_t threads = other_threads(); threads > processors)
    words += fmt::format("; it leaves {} threads on {} processors", threads, processors);
  return words;
}

// In the copy: the answer is a letter, 'a' or 'e' for an error, and two lines.
[[noreturn]] void run_job(const std::function<std::string()>& job, int answer, int log) {
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  const FloatControl before = FloatControl::current();
  std::string text;
  try {
    text = "a" + job();
  } catch (const BackendError& error) {
    text = "e" + error.vendor_text;
  } catch (const std::exception& error) {
    text = std::string("e") + error.what();
  }
  text += '\n' + disturbance_of(before, FloatControl::current());
  (void)files::write_all(answer, text);
  ::_exit(0);  // no exit handlers: they are those of the process that was copied
}

// Everything until the other end closes; returns false when the limit passes first.
[[nodiscard]] bool read_until_end(int fd, std::chrono::milliseconds limit, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) return false;
    char bytes[4096];
    const ssize_t got = ::read(fd, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(bytes, static_cast<std::size_t>(got));
  }
}

[[nodiscard]] std::string how_it_ended(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
    return "it ends the process with signal 4 (Illegal instruction): it is built for another "
           "processor than this one";
  if (WIFSIGNALED(status)) {
    return fmt::format("it ends the process with signal {} ({}); the file may be incomplete",
                       WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("it ends the process with exit status {}", WEXITSTATUS(status));
}

}  // namespace

TrialOutcome try_in_copy(const std::function<std::string()>& job, std::chrono::milliseconds limit) {
  int ends[2];
  if (::pipe(ends) != 0) fail("pipe");
  const files::Descriptor reading(ends[0]);
  files::Descriptor writing(ends[1]);
  const files::Descriptor log(::memfd_create("halfmark-trial", MFD_CLOEXEC));
  if (log.number() < 0) fail("memfd_create");
  std::fflush(stdout);  // the copy would print it again
  const pid_t copy = ::fork();
  if (copy < 0) fail("fork");
  if (copy == 0) run_job(job, writing.number(), log.number());
  (void)writing.close();
  std::string text;
  const bool has_ended = read_until_end(reading.number(), limit, text);
  if (!has_ended) ::kill(copy, SIGKILL);
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended)
    throw BackendError("trial", 0,
                       fmt::format("{} s passed without an answer", limit.count() / 1000));
  std::string printed = first_line_of(log.number());
  if (!printed.empty()) printed = fmt::format("; it prints '{}'", printed);
  if (status != 0 || text.empty()) throw BackendError("trial", 0, how_it_ended(status) + printed);
  const std::size_t line = text.find('\n');
  if (text.front() == 'e') throw BackendError("trial", 0, text.substr(1, line - 1));
  std::string disturbance = text.substr(line + 1) + printed;
  return {.answer = text.substr(1, line - 1), .disturbance = std::move(disturbance)};
}

}  // namespace halfmark::backends::cpu
