// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/vendor_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/environment_fault.hpp"
#include "backends/shim/jobs.hpp"
#include "reference/files/descriptor.hpp"

namespace halfmark::backends::shim {
namespace {

using nlohmann::json;

constexpr const char* kArgument = "--halfmark-vendor-job";
constexpr const char* kNested = "HALFMARK_VENDOR_PROCESS";  // set in every vendor process
constexpr int kAnswerFd = 3;
constexpr const char* kCall = "vendor process";

// The system's refusal, which is unrelated to the vendor.
[[noreturn]] void fail(const char* call, int error) {
  throw EnvironmentFault(
      fmt::format("no process for the vendor's libraries: {}: {}; end other programs, or raise the "
                  "limits (`ulimit -a` shows them)",
                  call, std::strerror(error)));
}

// An anonymous file.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("halfmark-vendor", MFD_CLOEXEC)) {
    if (fd_ < 0) fail("memfd_create", errno);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(fd_); }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

void write_or_fail(int fd, std::string_view bytes) {
  if (const int error = files::write_all(fd, bytes); error != 0) fail("write", error);
}

std::string read_from_start(int fd) {
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(fd, 0, SEEK_END))), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

std::string last_line(int fd) {
  std::string text = read_from_start(fd);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// A program that does not serve jobs would run as itself and ask again, endlessly.
void refuse_nesting() {
  if (std::getenv(kNested) == nullptr) return;
  throw BackendError(kCall, 0, "this program does not serve vendor jobs: it is one itself");
}

std::vector<char*> environment_of_child(std::string& mark) {
  std::vector<char*> rows;
  for (char** row = environ; *row != nullptr; ++row) rows.push_back(*row);
  rows.push_back(mark.data());
  rows.push_back(nullptr);
  return rows;
}

pid_t spawn(const char* backend, int job, int answer, int log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, job, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answer, kAnswerFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // kill its children too
  std::string words[] = {"/proc/self/exe", kArgument, backend, std::to_string(::getpid())};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  std::string mark = fmt::format("{}=1", kNested);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, &attributes, argv,
                                  environment_of_child(mark).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("posix_spawn", error);
  return child;
}

// Returns nothing when the child did not end in time; it has then been killed.
std::optional<int> wait_for(pid_t child, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::chrono::microseconds pause(200);
  int status = 0;
  while (true) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) return status;
    if (done < 0 && errno != EINTR) fail("waitpid", errno);
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  ::kill(-child, SIGKILL);
  ::waitpid(child, &status, 0);
  return std::nullopt;
}

std::string how_it_died(int status, const std::string& last) {
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                            ::strsignal(WTERMSIG(status)))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  return last.empty() ? how : fmt::format("{}: {}", how, last);
}

// A vendor's text may hold any bytes; JSON must be UTF-8.
std::string line_of(const json& reply) {
  return reply.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

Answer answer_to(const Vendor& vendor, const Telemetry& telemetry) {
  try {
    return run_job(vendor, telemetry, json::parse(read_from_start(STDIN_FILENO)),
                   [](const json& note) { write_or_fail(kAnswerFd, '#' + line_of(note)); });
  } catch (const BackendError& error) {
    return {{{"error", error.vendor_text}, {"code", error.code}, {"call", error.call}}, {}, {}};
  } catch (const std::exception& error) {
    return {{{"error", error.what()}, {"code", 0}, {"call", kCall}}, {}, {}};
  }
}

// Removes the notes from the start of the text. Drops a note that the child did not complete.
std::vector<json> notes_of(std::string& text) {
  std::vector<json> notes;
  while (text.starts_with('#')) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    json note = json::parse(text.substr(1, end - 1), nullptr, false);
    if (!note.is_discarded()) notes.push_back(std::move(note));
    text.erase(0, std::min(end + 1, text.size()));
  }
  return notes;
}

}  // namespace

Answer ask_vendor_process(const Vendor& vendor, const json& job, std::chrono::milliseconds limit) {
  refuse_nesting();
  const MemoryFile question;
  const MemoryFile reply;
  const MemoryFile log;
  write_or_fail(question.fd(), line_of(job));
  const pid_t child = spawn(vendor.backend, question.fd(), reply.fd(), log.fd());
  const std::optional<int> status = wait_for(child, limit);
  const std::string op = job.at("op");
  std::string text = read_from_start(reply.fd());
  std::vector<json> notes = notes_of(text);
  if (!status) {
    throw VendorProcessDied(op, fmt::format("{} s passed without an answer", limit.count() / 1000),
                            true, std::move(notes));
  }
  if (*status != 0)
    throw VendorProcessDied(op, how_it_died(*status, last_line(log.fd())), false, std::move(notes));
  const std::size_t line = text.find('\n');
  Answer answer{.reply = json::parse(text.substr(0, line), nullptr, false),
                .image = {},
                .notes = std::move(notes)};
  if (line == text.npos || answer.reply.is_discarded())
    throw BackendError(op, 0, "the answer cannot be read");
  const json& said = answer.reply;
  if (said.contains("error")) throw BackendError(said["call"], said["code"], said["error"]);
  answer.image = text.substr(line + 1);
  return answer;
}

void serve_vendor_job(const Vendor& vendor, const Telemetry& telemetry, int argument_count,
                      char** arguments) {
  if (argument_count != 4 || std::strcmp(arguments[1], kArgument) != 0) return;
  if (std::strcmp(arguments[2], vendor.backend) != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (std::to_string(::getppid()) != arguments[3]) ::_exit(127);
  const Answer answer = answer_to(vendor, telemetry);
  write_or_fail(kAnswerFd, line_of(answer.reply) + answer.image);
  ::_exit(0);  // skips the exit handlers of libraries that may be in a bad state
}

}  // namespace halfmark::backends::shim
