// SPDX-License-Identifier: Apache-2.0
// A user's matrix product as a process: on standard input it reads problems as `halfmark ref gemm`
// does (one JSON object per line, without "arithmetic", "alpha" and "beta"), and for each it writes
// a line {"d":{"format","bits"}} to standard output. Its standard error passes through.
//
// Decides how the process is started, queried and terminated. Assumes Linux.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "reference/inference/subject.hpp"

namespace halfmark::tools {

class GemmProcess {
 public:
  // Looks up the first word on PATH. Throws EnvironmentError when the process cannot be started.
  GemmProcess(const std::vector<std::string>& command, std::chrono::milliseconds limit);
  ~GemmProcess();
  GemmProcess(const GemmProcess&) = delete;
  GemmProcess& operator=(const GemmProcess&) = delete;

  // Throws EnvironmentError when the process ends, is silent for longer than the limit, or answers
  // anything other than D.
  [[nodiscard]] formats::Tensor operator()(const operators::GemmProblem& problem,
                                           const formats::Tensor& a, const formats::Tensor& b,
                                           const formats::Tensor* c);

 private:
  // Sends all of `line` while reading any output; returns the line of the answer.
  [[nodiscard]] std::string exchange(const std::string& line);
  [[noreturn]] void give_up(const std::string& why);

  std::string name_;
  std::chrono::milliseconds limit_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string pending_;  // bytes read past the last answered line
  std::size_t calls_ = 0;
};

}  // namespace halfmark::tools
