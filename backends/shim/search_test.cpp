// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/search.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace halfmark::backends::shim {
namespace {

TEST(BestCapability, IsTheHighestMinorOfTheSameMajor) {
  const std::vector<int> offered{100, 75, 80, 86, 90};
  EXPECT_EQ(80, best_capability(offered, 80));
  EXPECT_EQ(86, best_capability(offered, 89));
  EXPECT_EQ(90, best_capability(offered, 90));
  EXPECT_EQ(100, best_capability(offered, 103));
}

TEST(BestCapability, IsNoneWhereOnlyOtherMajorsOrHigherMinorsAreOffered) {
  EXPECT_EQ(0, best_capability({75, 90}, 80));
  EXPECT_EQ(0, best_capability({86}, 80));
  EXPECT_EQ(0, best_capability({}, 80));
}

TEST(ErrorName, IsTheDriversInEitherForm) {
  DriverCalls calls{};
  EXPECT_EQ("", name_of(calls, 7));
  calls.error_name_of = [](Status) -> const char* { return "ONE"; };
  EXPECT_EQ("ONE", name_of(calls, 7));
  calls.error_name = [](Status status, const char** name) -> Status {
    *name = "OTHER";
    return status;
  };
  EXPECT_EQ("OTHER", name_of(calls, 0));
  EXPECT_EQ("", name_of(calls, 7));
}

TEST(Reasons, AreOneLine) {
  const Library library{
      .variable = "HM_TEST_SEARCH", .names = {}, .folders = {}, .symbols = {}, .remedy = ""};
  ::unsetenv("HM_TEST_SEARCH");
  EXPECT_EQ("no library of it was found", joined({}, library));
  EXPECT_EQ("a; b", joined({"a", "b"}, library));
  ::setenv("HM_TEST_SEARCH", "/some/folder", 1);
  EXPECT_EQ("no library of it was found by HM_TEST_SEARCH=/some/folder", joined({}, library));
}

}  // namespace
}  // namespace halfmark::backends::shim
