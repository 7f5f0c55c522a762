// SPDX-License-Identifier: Apache-2.0
// Progress of a run on stderr: one live line on a terminal, plain lines elsewhere (every failure,
// and occasionally the number of cases done), so that a log stays readable.
#pragma once

#include <chrono>
#include <string>

#include "suites/runner/run.hpp"

namespace halfmark::tools {

class Progress {
 public:
  Progress(std::string device, bool terminal) : device_(std::move(device)), terminal_(terminal) {}

  [[nodiscard]] suites::RunProgress callbacks();
  /// Clears the live line.
  void finish();

 private:
  void on_case(const suites::CaseResult& result, std::uint64_t done, std::uint64_t total,
               bool resumed);
  void live_line(const std::string& text);

  std::string device_;
  bool terminal_;
  std::uint64_t wrong_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_line_ = started_;
};

}  // namespace halfmark::tools
