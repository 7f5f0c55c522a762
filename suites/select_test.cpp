// SPDX-License-Identifier: Apache-2.0
// The order in which the cases of a selection run.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

std::vector<Case> selected(std::vector<std::string> suites) {
  Selection selection;
  selection.level = Level::kSmoke;
  selection.suites = std::move(suites);
  return select_cases(selection);
}

TEST(SelectCases, CopiesComeBeforeEverythingThatRestsOnThem) {
  const std::vector<Case> cases = selected({});
  const auto first_other =
      std::ranges::find_if(cases, [](const Case& c) { return !find_suite(c.suite).foremost; });
  EXPECT_NE(cases.begin(), first_other);
  EXPECT_TRUE(std::none_of(first_other, cases.end(),
                           [](const Case& c) { return find_suite(c.suite).foremost; }));
  EXPECT_EQ("transfer", cases.front().suite);
}

TEST(SelectCases, TheOthersKeepTheOrderThatWasAskedFor) {
  const std::vector<Case> cases = selected({"softmax", "transfer", "convert"});
  EXPECT_EQ("transfer", cases.front().suite);
  EXPECT_EQ("convert", cases.back().suite);
  EXPECT_TRUE(std::ranges::any_of(cases, [](const Case& c) { return c.suite == "softmax"; }));
}

}  // namespace
}  // namespace halfmark::suites
