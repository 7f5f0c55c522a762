// SPDX-License-Identifier: Apache-2.0
// The class of a mistake does not depend on which kernel made it: within a suite, one name has one
// finding class, whether a portable kernel or a library is at fault.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

using ClassesOfNames = std::map<std::string, std::set<std::string>>;

// Whether a sum is too narrow or merely in another order depends on the requested accumulator.
std::string accumulator_of(const Suite& suite, const Case& c) {
  const bool has_one =
      std::ranges::any_of(suite.axes, [](const Axis& axis) { return axis.name == "accumulator"; });
  return has_one ? fmt::format(" where {} is asked for", c.word("accumulator")) : "";
}

ClassesOfNames classes_of(const Suite& suite) {
  ClassesOfNames classes;
  for (const Case& c : suite.cases(Level::kSmoke, 1)) {
    const auto problem = suite.bind(c);
    for (const auto& list : {problem->mistakes(), problem->families()}) {
      for (const Hypothesis& mistake : list)
        classes[mistake.name + accumulator_of(suite, c)].emplace(mistake.finding_class);
    }
  }
  return classes;
}

TEST(Mistakes, OfOneNameHaveOneClass) {
  std::size_t names = 0;
  for (const Suite* suite : all_suites()) {
    for (const auto& [name, classes] : classes_of(*suite)) {
      EXPECT_EQ(1u, classes.size())
          << suite->name << ": " << name << " is " << testing::PrintToString(classes);
      ++names;
    }
  }
  EXPECT_LT(500u, names);
}

}  // namespace
}  // namespace halfmark::suites
