// SPDX-License-Identifier: Apache-2.0
// Time limits of a case, learned from similar cases. Two limits: the driver stages of a case never
// exceed --timeout in total, and no single driver stage (one build, one launch, one read) may last
// longer than kFactor times the slowest whole case of its cost class, but always gets a fixed share
// of --timeout. Thus a hang among cases of milliseconds costs seconds, and a slow case that makes
// progress may continue. A class is a case's name without its fill and seed. Decides only numbers;
// child.hpp enforces them.
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
  /// Shares of --timeout: the least limit of a stage, however fast similar cases were (compilers
  /// are slow when a cache is cold), and the time without a heartbeat after which a process counts
  /// as frozen.
  static constexpr int kLeastShare = 4;
  static constexpr int kSilenceShare = 8;
  static constexpr std::chrono::milliseconds kLeastSilence = std::chrono::seconds(5);
  /// Limit of Halfmark's own work on a case: a multiple of --timeout, and a minimum.
  static constexpr int kOwnTimes = 10;
  static constexpr std::chrono::milliseconds kLeastOwn = std::chrono::minutes(10);

  explicit Limits(std::chrono::milliseconds timeout) : timeout_(timeout) {}

  /// Learns from a result of this run or an earlier one; ignores results that the device did
  /// not produce.
  void learn(const CaseResult& result);
  [[nodiscard]] Patience patience(const std::string& case_name) const;

 private:
  std::chrono::milliseconds timeout_;
  std::map<std::string, double> slowest_seconds_;  // by class
};

}  // namespace halfmark::suites
