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

#include "reference/files/descriptor.hpp"
#include "reference/text/json.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// What a wait lasts beyond the time that was asked for is none of the child's time if it is so
// much: a scheduler or a container engine had stopped this process. Each wait is short, so that the
// time between two stops counts.
constexpr auto kLeastGap = 1s;
constexpr std::chrono::milliseconds kLongestWait = 100ms;

volatile std::sig_atomic_t g_interrupted = 0;

void on_signal(int) { g_interrupted = 1; }

[[noreturn]] void become(const std::vector<std::string>& arguments, int request, int response,
                         int log, pid_t parent) {
  // Its own process group: Ctrl-C reaches only the runner, and a hung driver's own children can be
  // killed with it.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
  ::signal(SIGPIPE, SIG_DFL);
  // Duplicate first, since one of the descriptors may already have a fixed number.
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
  // Operands of hundreds of MB in pages of 2 MB: first touches took half the time of such cases.
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

// Null: not a message. A driver may have written to the descriptor.
nlohmann::json message_in(const std::string& line) {
  try {
    return text::read_json(line);
  } catch (const text::JsonError&) {
    return nullptr;
  }
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
  std::signal(SIGPIPE, SIG_IGN);  // writing to a dead worker must not end the runner
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
  if (pid_ > 0) static_cast<void>(reap());
  ::close(request_fd_);
  ::close(response_fd_);
  ::close(log_fd_);
  ::close(process_fd_);
}

bool Child::send(const std::string& line) const { return files::write_all(request_fd_, line) == 0; }

std::optional<std::string> Child::take_line() {
  const auto end = pending_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

// How the child has ended; `si_pid` is 0 if it lives.
siginfo_t Child::look() const {
  siginfo_t info = {};
  const int looked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return looked == 0 ? info : siginfo_t{};
}

bool Child::has_ended() const { return look().si_pid != 0; }

// The signal of which the child has died; 0 if it lives or has exited. A process that is about to
// end closes its pipe a little earlier, so its end is waited for.
int Child::signal_of_death() const {
  constexpr auto kEndingTime = 500ms;
  constexpr int kStep_ms = 10;
  const auto limit = Clock::now() + kEndingTime;
  pollfd end{.fd = process_fd_, .events = POLLIN, .revents = 0};  // -1: a wait for nothing
  while (!has_ended() && Clock::now() < limit) static_cast<void>(::poll(&end, 1, kStep_ms));
  const siginfo_t info = look();
  return info.si_pid == 0 || info.si_code == CLD_EXITED ? 0 : info.si_status;
}

// Returns how a child ended that did so by itself, and its last words; its own children are killed
// here. A process that a driver blocks in the kernel cannot be killed: it is abandoned after
// kReapingTime_ms.
std::string Child::reap() {
  constexpr int kReapingTime_ms = 1000;
  const bool ended_by_itself = has_ended();
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  pollfd end{.fd = process_fd_, .events = POLLIN, .revents = 0};
  if (process_fd_ >= 0) static_cast<void>(::poll(&end, 1, kReapingTime_ms));
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(pid_, &status, process_fd_ >= 0 ? WNOHANG : 0);
  } while (got < 0 && errno == EINTR);
  pid_ = -1;
  std::string how;
  if (got <= 0) how = "it cannot be killed";
  if (got > 0 && ended_by_itself) how = describe_status(status);
  const std::string words = last_line(log_fd_);
  if (!words.empty()) how += fmt::format("{}its last words: {}", how.empty() ? "" : "; ", words);
  return how;
}

Answer Child::ask(const nlohmann::json& request, const Patience& patience) {
  post(request);
  return await(patience);
}

void Child::post(const nlohmann::json& request) {
  nlohmann::json numbered = request;
  numbered["ask"] = ++asked_;
  if (pid_ > 0) static_cast<void>(send(numbered.dump() + "\n"));
}

Answer Child::reaped(AnswerKind kind, const char* how) {
  const int signal = kind == AnswerKind::kDied ? signal_of_death() : 0;
  std::string told = how == nullptr ? "" : how;
  if (how == nullptr && !has_ended()) told = "it closed the pipe on which it answers";
  const std::string end = reap();
  if (how == nullptr && !end.empty()) told += (told.empty() ? "" : "; ") + end;
  return {.kind = kind, .message = {}, .how = std::move(told), .stage = {}, .signal = signal};
}

Answer Child::refused(const char* why) {
  const std::string end = reap();
  return {.kind = AnswerKind::kDied,
          .message = {},
          .how = end.empty() ? why : fmt::format("{}; {}", why, end),
          .stage = {}};
}

// Waits for the child's output or its end. The end is watched separately, since a process that the
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

struct WaitState {
  explicit WaitState(const Patience& patience_) : patience(patience_) {}

  // True for a heartbeat, which updates the state but is not an answer.
  [[nodiscard]] bool is_beat(const nlohmann::json& message) {
    const auto beat = message.find("beat");
    if (beat == message.end()) return false;
    const auto now = Clock::now();
    const auto count = beat->value("count", std::uint64_t{0});
    const bool drives = beat->value("of_driver", false);
    if (count != stage_count || !drives) moved = now;
    if (!drives || !of_driver) own += now - heard;
    of_driver = drives;
    heard = now;
    stage_count = count;
    stage = beat->value("stage", std::string());
    return true;
  }

  // This process was stopped or starved for that long, and perhaps the child with it.
  void pass_over(Clock::duration late) {
    for (Clock::time_point* mark : {&began, &moved, &heard}) *mark += late;
  }

  // When the wait ends without an answer, and with which outcome.
  [[nodiscard]] std::pair<Clock::time_point, AnswerKind> end() const {
    const auto overdue = of_driver ? Clock::time_point::max() : heard + (patience.own - own);
    return std::min({std::pair{began + own + patience.total, AnswerKind::kTimedOut},
                     std::pair{moved + patience.stage, AnswerKind::kStalled},
                     std::pair{heard + patience.silence, AnswerKind::kFrozen},
                     std::pair{overdue, AnswerKind::kOverdue}});
  }

  Patience patience;
  Clock::time_point began = Clock::now();
  Clock::time_point moved = began;  // start of the last stage, or last time of Halfmark's own work
  Clock::time_point heard = began;  // the last beat
  Clock::duration own{};            // time in Halfmark's own work
  bool of_driver = true;            // according to the last beat
  std::uint64_t stage_count = 0;
  std::string stage;
};

Answer Child::await(const Patience& patience) {
  if (pid_ <= 0)
    return {.kind = AnswerKind::kDied, .message = {}, .how = "it was dead already", .stage = {}};
  WaitState wait(patience);
  Answer answer = wait_for_answer(wait);
  answer.stage = wait.stage;
  answer.of_driver = wait.of_driver;
  return answer;
}

Answer Child::wait_for_answer(WaitState& wait) {
  for (bool last_look = false;;) {
    while (const auto line = take_line()) {
      nlohmann::json message = message_in(*line);
      if (!message.is_object()) return refused("it answered nonsense");
      if (wait.is_beat(message)) continue;
      if (message.value("ask", nlohmann::json()) != nlohmann::json(asked_))
        return refused("it answered another request");
      return {.kind = AnswerKind::kAnswered, .message = std::move(message), .how = {}, .stage = {}};
    }
    if (interrupted()) return reaped(AnswerKind::kInterrupted, "interrupted");
    const auto [end, kind] = wait.end();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (last_look && left.count() <= 0) return reaped(kind, "time limit");
    last_look = left.count() <= 0;
    const auto limit = std::clamp<std::chrono::milliseconds>(left, 0ms, kLongestWait);
    const auto awake = Clock::now() + limit;
    if (!receive(limit)) return reaped(AnswerKind::kDied, nullptr);
    if (const auto late = Clock::now() - awake; late > kLeastGap) wait.pass_over(late);
  }
}

}  // namespace halfmark::suites
