// SPDX-License-Identifier: Apache-2.0
// Whether a large case is worth asking for: what it would take at the rate of the largest smaller
// one of its operator, provider and formats that this run measured. Decides numbers only; run.cpp
// leaves out what would take longer than a case may.
//
// Assumption: time grows with the product of the sizes at least as slowly as from the smaller case
// on; larger products fill a device better.
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

/// How long one case may take, unless the user says otherwise.
inline constexpr std::chrono::seconds kCaseLimit{120};

/// What a case may be foreseen to take before it is left out. A limit shorter than the usual one
/// leaves nothing out, it is run into: what is left out costs no mark, and must not be had by
/// asking.
[[nodiscard]] constexpr double longest_foreseen_s(std::chrono::milliseconds case_limit) {
  return std::chrono::duration<double>(std::max<std::chrono::milliseconds>(case_limit, kCaseLimit))
      .count();
}

class Rates {
 public:
  /// From here on a case is large: a product of 4096 cubed.
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 36;
  /// Two launches to verify, five to warm up and twenty to time.
  static constexpr int kLaunches = 27;

  /// `by_the_host`: the device's clock is a model and tells nothing of what the host waits.
  explicit Rates(bool by_the_host) : by_the_host_(by_the_host) {}

  void learn(const Case& c, const CaseResult& result);

  struct Foresight {
    double seconds = 0;  // of all launches
    std::string like;    // the case that tells
  };
  /// Nothing for a case that is not large, or that nothing smaller tells of.
  [[nodiscard]] std::optional<Foresight> foresee(const Case& c) const;

 private:
  struct Seen {
    std::uint64_t work = 0;
    double seconds = 0;  // of one launch
    std::string name;
  };
  bool by_the_host_;
  std::map<std::string, Seen> largest_;  // by operator, provider and formats
};

}  // namespace halfmark::suites
