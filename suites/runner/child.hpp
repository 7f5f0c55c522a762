// SPDX-License-Identifier: Apache-2.0
// A child process that answers lines of JSON: it isolates the runner from a driver. Decides how
// a child is started, asked, timed out and killed. Does not know the content of requests.
// Assumes Linux: the child dies with its parent (PR_SET_PDEATHSIG), so a killed runner leaves no
// worker behind.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace halfmark::suites {

/// File descriptors for requests and responses; stdout and stderr belong to the driver.
inline constexpr int kRequestFd = 3;
inline constexpr int kResponseFd = 4;

enum class AnswerKind {
  kAnswered,
  kDied,
  kTimedOut,  // alive, but past the limit for the whole request
  kStalled,   // alive, but one driver stage exceeded its limit
  kFrozen,    // no heartbeat: stopped, or stuck in the kernel
  kOverdue,   // alive, but Halfmark's own work exceeded its limit
  kInterrupted
};

/// How long to wait, without the time in which this process itself was stopped. A child may send
/// heartbeats, lines {"beat": {"stage", "count", "of_driver"}}: `stage` then limits the duration of
/// one driver stage, and `silence` the time between beats. Both start with the first beat, so a
/// child without beats has only `total`. Time between two beats of which at least one reports
/// Halfmark's own work (the reference, the judge) does not count as driver time: it counts only
/// towards `own`.
struct Patience {
  std::chrono::milliseconds total;
  std::chrono::milliseconds stage = total;
  std::chrono::milliseconds silence = total;
  std::chrono::milliseconds own = std::chrono::hours(1);
};

struct Answer {
  AnswerKind kind = AnswerKind::kDied;
  nlohmann::json message;  // if answered
  std::string how;  // if died: "signal 11 (Segmentation fault)", with the last line of its output;
                    // never a signal that was sent here
  std::string stage;      // stage of the last beat
  bool of_driver = true;  // whether that stage was the driver's; true if there was no beat
  int signal = 0;         // if died: of a signal that was not sent here; otherwise 0
};

struct WaitState;  // what is known during one wait

class Child {
 public:
  /// Starts `arguments` with the two descriptors above. Throws EnvironmentError on failure.
  explicit Child(const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends one line, numbered by its member "ask", and waits for one line with the same number;
  /// anything that a driver writes to the descriptor is ignored. After any outcome except an answer
  /// the child is dead.
  [[nodiscard]] Answer ask(const nlohmann::json& request, const Patience& patience);
  [[nodiscard]] Answer ask(const nlohmann::json& request, std::chrono::milliseconds limit) {
    return ask(request, Patience{.total = limit});
  }
  /// The two halves of `ask`, for asking several children at once. If the request cannot be sent,
  /// `await` reports the child as dead.
  void post(const nlohmann::json& request);
  [[nodiscard]] Answer await(const Patience& patience);
  [[nodiscard]] Answer await(std::chrono::milliseconds limit) {
    return await(Patience{.total = limit});
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  [[nodiscard]] bool send(const std::string& line) const;
  [[nodiscard]] std::optional<std::string> take_line();
  [[nodiscard]] siginfo_t look() const;
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] int signal_of_death() const;
  [[nodiscard]] std::string reap();
  [[nodiscard]] Answer reaped(AnswerKind kind, const char* how);
  [[nodiscard]] Answer refused(const char* why);
  [[nodiscard]] Answer wait_for_answer(WaitState& wait);
  [[nodiscard]] bool receive(std::chrono::milliseconds limit);

  pid_t pid_ = -1;
  int request_fd_ = -1;
  int response_fd_ = -1;
  int log_fd_ = -1;
  int process_fd_ = -1;      // readable once the child has ended; -1 on kernels before 5.3
  std::uint64_t asked_ = 0;  // requests so far
  std::string pending_;
};

/// Set by the signal handler of the program; `ask` returns kInterrupted once it is true.
[[nodiscard]] bool interrupted();
void install_interrupt_handler();

}  // namespace halfmark::suites
