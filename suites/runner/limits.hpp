// SPDX-License-Identifier: Apache-2.0
// How long a case may take, learned from those like it. Two limits: the whole case never exceeds
// the --timeout in the driver's stages, and no single stage in which the driver has the word (one
// build, one launch, one read) may last longer than kFactor times the slowest whole case of its
// cost class, but a share of the --timeout is always granted. So a hang among cases of milliseconds
// costs seconds, and a slow case that moves on is left alone. A class is a case's name without its
// fill and seed. Decides numbers only; child.hpp enforces them.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "suites/core/judge/result.hpp"
#include "suites/runner/child.hpp"

namespace halfmark::suites {

class Limits {
 public:
  static constexpr int kFactor = 20;
  /// Of the --timeout: what a stage gets however fast its like were (compilers take their time when
  /// a cache is cold), and after how long without a heartbeat a process counts as frozen.
  static constexpr int kLeastShare = 4;
  static constexpr int kSilenceShare = 8;
  static constexpr std::chrono::milliseconds kLeastSilence = std::chrono::seconds(5);
  /// Of the --timeout, and no less than that: what Halfmark's own work on a case may take.
  static constexpr int kOwnTimes = 10;
  static constexpr std::chrono::milliseconds kLeastOwn = std::chrono::minutes(10);

  explicit Limits(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  /// Of this run or an earlier one; results that the device did not give teach nothing.
  void learn(const CaseResult& result);
  [[nodiscard]] Patience patience(const std::string& case_name) const;

 private:
  std::chrono::milliseconds timeout_;
  std::map<std::string, double> slowest_seconds_;  // by class
};

}  // namespace halfmark::suites
