// SPDX-License-Identifier: Apache-2.0
// Estimates how long the reference takes for a set of cases on this machine, from measurements of a
// sample. Decides the sample; says nothing about a device's own time, which only a run can measure.
//
// Assumes that cases spread evenly over a suite's list are typical of it. A few cases cost a
// hundred times the usual, so a small sample is only accurate within a factor of two or three.
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
  /// False if the allowed time ran out before every suite had its share of the sample.
  bool complete = true;
};

/// Evaluates inputs and reference of evenly spread cases of each suite in turn, for about
/// `seconds_allowed` and at least one case per suite, and extrapolates suite by suite.
[[nodiscard]] Estimate estimate_reference(std::span<const suites::Case> cases,
                                          double seconds_allowed);

/// "40 s" or "3 min", rounded for people; never less than a second.
[[nodiscard]] std::string say_duration(double seconds);

}  // namespace halfmark::tools
