// SPDX-License-Identifier: Apache-2.0
// How long the reference's part of a set of cases takes on this machine, measured on a sample of
// them. Decides the sample; says nothing about a device's own time, which only a run can tell.
//
// Assumes: cases that lie evenly spread in a suite's list are typical of it. A few cost a hundred
// times the usual one, so that a small sample is right within a factor of two or three.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "suites/core/case/case.hpp"

namespace halfmark::tools {

struct Estimate {
  double reference_seconds = 0;
  std::size_t sampled_cases = 0;
  /// False: the time allowed ran out before every suite had its share of the sample.
  bool complete = true;
};

/// Evaluates inputs and reference of evenly spread cases of each suite in turn, for about
/// `seconds_allowed`, at least one of each, and extrapolates suite by suite.
[[nodiscard]] Estimate estimate_reference(std::span<const suites::Case> cases,
                                          double seconds_allowed);

/// "40 s" or "3 min", the way a person would say it; never less than a second.
[[nodiscard]] std::string say_duration(double seconds);

}  // namespace halfmark::tools
