// SPDX-License-Identifier: Apache-2.0
// Which mistakes of a case show on given inputs, for tests of what a single problem exposes.
#pragma once

#include <set>
#include <string>

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// The names of the mistakes that change a bit of the right results.
[[nodiscard]] inline std::set<std::string> shown_mistakes(const Suite& suite, const Case& c,
                                                          const TensorSet& inputs) {
  const auto problem = suite.bind(c);
  const TensorSet right = problem->expect(inputs).middle;
  std::set<std::string> names;
  for (const Hypothesis& mistake : problem->mistakes()) {
    if (mistake.evaluate(c, inputs).middle != right) names.insert(mistake.name);
  }
  return names;
}

}  // namespace halfmark::suites
