// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: cases by name, the specified step, and what the diagnosis
// says of wrong results.
#pragma once

#include <algorithm>
#include <string>

#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/loss_scaled_backward/binding.hpp"
#include "suites/loss_scaled_backward/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {

inline constexpr std::uint64_t kSeed = 7;

/// After "loss_scaled_backward."
inline Case any_named(const std::string& tail) {
  return parse_case("loss_scaled_backward", suite().axes, "loss_scaled_backward." + tail);
}

inline operators::TrainingStep specified(const Case& c) {
  return evaluate(c, suite().bind(c)->inputs(), {}, {});
}

/// Whether the diagnosis of wrong results gives the mistake among those that explain every bit.
/// Some cannot be told apart on one case: a check that leaves biases out, and one that never looks.
inline bool explains(const Hypothesis& mistake, const Problem& problem, const TensorSet& inputs,
                     const Allowance& allowed, const TensorSet& wrong) {
  const std::uint64_t mismatches = compare(allowed, wrong).mismatches;
  const auto found = diagnose(problem, inputs, allowed, wrong);
  return std::ranges::any_of(found, [&](const Explanation& e) {
    return e.hypothesis == mistake.name && e.exact(mismatches);
  });
}

}  // namespace halfmark::suites::loss_scaled_backward
