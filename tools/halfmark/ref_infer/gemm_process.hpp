// SPDX-License-Identifier: Apache-2.0
// Somebody's matrix product as a process: it reads problems as `halfmark ref gemm` does (one JSON
// object per line, without "arithmetic", "alpha" and "beta") on standard input and answers
// {"d":{"format","bits"}} per line on standard output. Its standard error passes through.
//
// Decides how the process is started, asked and given up on. Assumes Linux.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "reference/inference/subject.hpp"

namespace halfmark::tools {

class GemmProcess {
 public:
  // The first word is looked up on PATH. Throws EnvironmentError when it cannot be started.
  GemmProcess(const std::vector<std::string>& command, std::chrono::milliseconds limit);
  ~GemmProcess();
  GemmProcess(const GemmProcess&) = delete;
  GemmProcess& operator=(const GemmProcess&) = delete;

  // Throws EnvironmentError when the process ends, is silent for the limit, or answers something
  // else than D.
  [[nodiscard]] formats::Tensor operator()(const operators::GemmProblem& problem,
                                           const formats::Tensor& a, const formats::Tensor& b,
                                           const formats::Tensor* c);

 private:
  // Sends all of `line` while taking whatever is answered; returns the answered line.
  [[nodiscard]] std::string exchange(const std::string& line);
  [[noreturn]] void give_up(const std::string& why);

  std::string name_;
  std::chrono::milliseconds limit_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string pending_;  // read, behind the last answered line
  std::size_t calls_ = 0;
};

}  // namespace halfmark::tools
