// SPDX-License-Identifier: Apache-2.0
// A child process that answers lines of JSON: the wall between the runner and a driver.
// Decides how a child is started, asked, timed out and buried. Does not know what is asked.
// Assumes Linux: the child dies with its parent (PR_SET_PDEATHSIG), so a killed runner leaves no
// worker behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace halfmark::suites {

/// File descriptors on which a worker is spoken to; its stdout and stderr belong to the driver.
inline constexpr int kRequestFd = 3;
inline constexpr int kResponseFd = 4;

enum class AnswerKind {
  kAnswered,
  kDied,
  kTimedOut,  // alive, but longer than the whole may take
  kStalled,   // alive, but one stage of the driver lasted longer than a stage may
  kFrozen,    // no sign of life: stopped, or stuck in the kernel
  kOverdue,   // alive, but at work of Halfmark's own for longer than that may take
  kInterrupted
};

/// How long to wait. A child that sends heartbeats, lines {"beat": {"stage", "count",
/// "of_driver"}}, is judged by them: `stage` limits the time that one stage of the driver may last,
/// `silence` the time between beats. Both start with the first beat, so a child without beats has
/// only `total`. Time between beats of which either is at work of Halfmark's own (the reference,
/// the judge) is no time of the driver: it counts for `own` alone.
struct Patience {
  std::chrono::milliseconds total;
  std::chrono::milliseconds stage = total;
  std::chrono::milliseconds silence = total;
  std::chrono::milliseconds own = std::chrono::hours(1);
};

struct Answer {
  AnswerKind kind = AnswerKind::kDied;
  nlohmann::json message;  // when answered
  std::string how;    // when died: "signal 11 (Segmentation fault)", with the last line it wrote
  std::string stage;  // of the last beat: where it was
};

struct Vigil;  // one wait: what was heard, and when

class Child {
 public:
  /// Starts `arguments` with the two descriptors above. Throws EnvironmentError when that fails.
  explicit Child(const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends one line, numbered as its member "ask", and waits for one line with the same number:
  /// what a driver writes into the descriptor by itself is no answer. After anything but an answer
  /// the child is dead.
  [[nodiscard]] Answer ask(const nlohmann::json& request, const Patience& patience);
  [[nodiscard]] Answer ask(const nlohmann::json& request, std::chrono::milliseconds limit) {
    return ask(request, Patience{.total = limit});
  }
  /// The two halves of `ask`, for asking several children at once. A child that cannot be sent to
  /// is found dead by `await`.
  void post(const nlohmann::json& request);
  [[nodiscard]] Answer await(const Patience& patience);
  [[nodiscard]] Answer await(std::chrono::milliseconds limit) {
    return await(Patience{.total = limit});
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  [[nodiscard]] bool send(const std::string& line) const;
  [[nodiscard]] std::optional<std::string> take_line();
  [[nodiscard]] std::string bury();
  [[nodiscard]] Answer buried(AnswerKind kind, const char* how);
  [[nodiscard]] Answer keep(Vigil& vigil);
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
