// SPDX-License-Identifier: Apache-2.0
// Whether a large case is worth running: estimates its time from the rate of the largest smaller
// case of the same operator, provider and formats that this run measured. Decides only numbers;
// run.cpp leaves out cases that would exceed the case limit.
//
// Assumption: time grows with the product of the sizes at most proportionally from the smaller case
// on, since larger products fill a device better.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "suites/core/case/case.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// The default time limit of one case.
inline constexpr std::chrono::seconds kCaseLimit{120};

/// The estimated time above which a case is left out. A limit shorter than the default leaves
/// nothing out, and such cases run into it: leaving a case out costs no mark, so the user must not
/// be able to cause it.
[[nodiscard]] constexpr double longest_foreseen_s(std::chrono::milliseconds case_limit) {
  return std::chrono::duration<double>(std::max<std::chrono::milliseconds>(case_limit, kCaseLimit))
      .count();
}

class Rates {
 public:
  /// A case is large from here on: a product of 4096 cubed.
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 36;
  /// Two launches to verify, five to warm up and twenty to time. Launches of half a second or more
  /// are timed with fewer (throughput/measure), so this bounds the time of a case from above.
  static constexpr int kLaunches = 27;

  /// `by_the_host`: the device's clock is a model and does not predict how long the host waits.
  explicit Rates(bool by_the_host) : by_the_host_(by_the_host) {}

  void learn(const Case& c, const CaseResult& result);

  struct Foresight {
    double seconds = 0;  // for all launches
    std::string like;    // the case that the estimate is based on
  };
  /// Nothing for a case that is not large, or without a measured smaller case.
  [[nodiscard]] std::optional<Foresight> foresee(const Case& c) const;

 private:
  struct Seen {
    std::uint64_t work = 0;
    double seconds = 0;  // for one launch
    std::string name;
  };
  bool by_the_host_;
  std::map<std::string, Seen> largest_;  // by operator, provider and formats
};

}  // namespace halfmark::suites
