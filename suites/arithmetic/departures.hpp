// SPDX-License-Identifier: Apache-2.0
// What implementations have been seen to do instead of an elementary operation, one row each.
// Decides the bits of each departure. Departures that can affect any operation (another rounding
// direction, flushed subnormals) are tried for every suite by suites/core/diagnose/diagnose.
#pragma once

#include <span>
#include <string_view>

#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/finding_classes.hpp"

namespace halfmark::suites::arithmetic {

struct Departure {
  std::string_view operation, name;
  FindingClassName finding_class;
  std::string_view sentence;
  Evaluate evaluate;
  const formats::Format* computed_in = nullptr;  // as in Hypothesis
};

[[nodiscard]] std::span<const Departure> departures();

}  // namespace halfmark::suites::arithmetic
