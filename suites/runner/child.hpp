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

enum class AnswerKind { kAnswered, kDied, kTimedOut, kInterrupted };

struct Answer {
  AnswerKind kind = AnswerKind::kDied;
  nlohmann::json message;  // when answered
  std::string how;  // when died: "signal 11 (Segmentation fault)", with the last line it wrote
};

class Child {
 public:
  /// Starts `arguments` with the two descriptors above. Throws EnvironmentError when that fails.
  explicit Child(const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends one line and waits for one line. After anything but an answer the child is dead.
  [[nodiscard]] Answer ask(const nlohmann::json& request, std::chrono::milliseconds limit);
  /// The two halves of `ask`, for asking several children at once. A child that cannot be sent to
  /// is found dead by `await`.
  void post(const nlohmann::json& request);
  [[nodiscard]] Answer await(std::chrono::milliseconds limit);
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  [[nodiscard]] bool send(const std::string& line) const;
  [[nodiscard]] std::optional<std::string> take_line();
  [[nodiscard]] std::string bury();
  [[nodiscard]] Answer understood(const std::string& line);
  [[nodiscard]] bool receive(std::chrono::milliseconds limit);

  pid_t pid_ = -1;
  int request_fd_ = -1;
  int response_fd_ = -1;
  int log_fd_ = -1;
  int process_fd_ = -1;  // readable once the child has ended; -1 on kernels before 5.3
  std::string pending_;
};

/// Set by the signal handler of the program; `ask` returns kInterrupted once it is true.
[[nodiscard]] bool interrupted();
void install_interrupt_handler();

}  // namespace halfmark::suites
