// SPDX-License-Identifier: Apache-2.0
// The state of one check of the self-test: operands from its seed, a clock, and its comparisons.
// Keeps only the first difference in full.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "reference/slow/operands.hpp"

namespace halfmark::tools {

using SelftestClock = std::chrono::steady_clock;

class Session {
 public:
  Session(std::uint64_t seed, SelftestClock::time_point end) : operands_(seed), end_(end) {}

  // Whether the check should go on. Always true for the first few calls, so that every check
  // compares something, however short the time.
  [[nodiscard]] bool goes_on();
  [[nodiscard]] slow::Operands& operands() { return operands_; }

  // Records one comparison; `explain` is called only for the first difference.
  template <typename Explain>
  void compare(bool same, const Explain& explain) {
    ++compared_;
    if (!same && failures_++ == 0) first_failure_ = explain();
  }
  void compare(const soft::Result& expected, const soft::Result& actual, const formats::Format& f,
               const std::function<std::string()>& call);

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  [[nodiscard]] const std::string& first_failure() const { return first_failure_; }

 private:
  slow::Operands operands_;
  SelftestClock::time_point end_;
  std::uint64_t questions_ = 0;
  std::uint64_t compared_ = 0;
  std::uint64_t failures_ = 0;
  std::string first_failure_;
};

// "near_even keep infinity": an environment in the words of the command line.
[[nodiscard]] std::string environment_text(const soft::Environment& env);

}  // namespace halfmark::tools
