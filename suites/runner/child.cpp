// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "suites/core/errors.hpp"

namespace halfmark::suites {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

volatile std::sig_atomic_t g_interrupted = 0;

void on_signal(int) { g_interrupted = 1; }

[[noreturn]] void become(const std::vector<std::string>& arguments, int request, int response,
                         int log, pid_t parent) {
  // Its own process group: Ctrl-C reaches the runner alone, and a hung driver's own children can be
  // killed with it.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
  ::signal(SIGPIPE, SIG_DFL);
  // Duplicates first, since the fixed numbers may be taken by one of the descriptors themselves.
  const int high_request = ::fcntl(request, F_DUPFD, 10);
  const int high_response = ::fcntl(response, F_DUPFD, 10);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(null, STDIN_FILENO);
  ::dup2(high_request, kRequestFd);
  ::dup2(high_response, kResponseFd);
  ::close(high_request);
  ::close(high_response);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

// The last line that the driver wrote is often the only hint ("Unsupported float size").
std::string last_line(int log_fd) {
  constexpr off_t kTail = 4096;
  const off_t size = ::lseek(log_fd, 0, SEEK_END);
  std::string tail(static_cast<std::size_t>(std::min(size, kTail)), '\0');
  const ssize_t got = ::pread(log_fd, tail.data(), tail.size(), std::max<off_t>(0, size - kTail));
  if (got <= 0) return {};
  tail.resize(static_cast<std::size_t>(got));
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  const auto start = tail.rfind('\n');
  return start == std::string::npos ? tail : tail.substr(start + 1);
}

}  // namespace

bool interrupted() { return g_interrupted != 0; }

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_signal;  // no SA_RESTART: poll must return
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Child::Child(const std::vector<std::string>& arguments) {
  int request[2];
  int response[2];
  if (::pipe2(request, O_CLOEXEC) != 0 || ::pipe2(response, O_CLOEXEC) != 0) {
    throw EnvironmentError(
        fmt::format("cannot make a pipe for a worker: {}", std::strerror(errno)));
  }
  log_fd_ = ::memfd_create("halfmark-worker-log", MFD_CLOEXEC);
  std::signal(SIGPIPE, SIG_IGN);  // a dead worker is an answer, not a reason to die
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0)
    throw EnvironmentError(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  if (pid_ == 0) become(arguments, request[0], response[1], log_fd_, parent);
  process_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  ::close(request[0]);
  ::close(response[1]);
  request_fd_ = request[1];
  response_fd_ = response[0];
}

Child::~Child() {
  if (pid_ > 0) static_cast<void>(bury());
  ::close(request_fd_);
  ::close(response_fd_);
  ::close(log_fd_);
  ::close(process_fd_);
}

bool Child::send(const std::string& line) const {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t n = ::write(request_fd_, line.data() + sent, line.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

std::optional<std::string> Child::take_line() {
  const auto end = pending_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

// A child that ended by itself keeps the status it ended with; what it started ends here, too.
std::string Child::bury() {
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  std::string how = describe_status(status);
  const std::string words = last_line(log_fd_);
  if (!words.empty()) how += fmt::format("; its last words: {}", words);
  return how;
}

Answer Child::ask(const nlohmann::json& request, std::chrono::milliseconds limit) {
  post(request);
  return await(limit);
}

void Child::post(const nlohmann::json& request) {
  if (pid_ > 0) static_cast<void>(send(request.dump() + "\n"));
}

Answer Child::understood(const std::string& line) {
  nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
  if (message.is_object()) {
    return {.kind = AnswerKind::kAnswered, .message = std::move(message), .how = {}};
  }
  return {.kind = AnswerKind::kDied, .message = {}, .how = "it answered nonsense; " + bury()};
}

// Waits for the child's words or its end. The end is watched by itself, since a process that the
// driver started may keep the pipe open.
bool Child::receive(std::chrono::milliseconds limit) {
  pollfd events[] = {{.fd = response_fd_, .events = POLLIN, .revents = 0},
                     {.fd = process_fd_, .events = POLLIN, .revents = 0}};
  if (::poll(events, 2, static_cast<int>(limit.count())) <= 0) return true;
  if (events[0].revents == 0) return false;
  char chunk[65536];
  const ssize_t n = ::read(response_fd_, chunk, sizeof chunk);
  if (n < 0 && errno == EINTR) return true;
  if (n > 0) pending_.append(chunk, static_cast<std::size_t>(n));
  return n > 0;
}

Answer Child::await(std::chrono::milliseconds limit) {
  if (pid_ <= 0) return {.kind = AnswerKind::kDied, .message = {}, .how = "it was dead already"};
  const auto deadline = Clock::now() + limit;
  for (bool last_look = false;;) {
    if (const auto line = take_line()) return understood(*line);
    if (interrupted()) {
      static_cast<void>(bury());
      return {.kind = AnswerKind::kInterrupted, .message = {}, .how = "interrupted"};
    }
    if (last_look) {
      static_cast<void>(bury());
      return {.kind = AnswerKind::kTimedOut, .message = {}, .how = "time limit"};
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    last_look = left.count() <= 0;
    if (!receive(std::clamp<std::chrono::milliseconds>(left, 0ms, 1s))) {
      return {.kind = AnswerKind::kDied, .message = {}, .how = bury()};
    }
  }
}

}  // namespace halfmark::suites
