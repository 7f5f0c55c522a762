// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/environment_rows.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace halfmark::backends::shim {
namespace {

TEST(EnvironmentRows, AreThoseThatBeginSo) {
  constexpr const char* kBeginnings[] = {"HM_TEST_ROWS_", "HM_TEST_ONE="};
  ::setenv("HM_TEST_ROWS_B", "-D X=1", 1);
  ::setenv("HM_TEST_ROWS_A", "", 1);
  ::setenv("HM_TEST_ONE", "1", 1);
  ::setenv("HM_TEST_ONE_MORE", "2", 1);
  EXPECT_EQ((std::vector<std::string>{"HM_TEST_ONE=1", "HM_TEST_ROWS_A=", "HM_TEST_ROWS_B=-D X=1"}),
            environment_rows(kBeginnings));
  EXPECT_EQ(
      (nlohmann::json{{"HM_TEST_ONE", "1"}, {"HM_TEST_ROWS_A", ""}, {"HM_TEST_ROWS_B", "-D X=1"}}),
      environment_object(kBeginnings));
  for (const char* name : {"HM_TEST_ROWS_A", "HM_TEST_ROWS_B", "HM_TEST_ONE", "HM_TEST_ONE_MORE"})
    ::unsetenv(name);
  EXPECT_EQ(nlohmann::json::object(), environment_object(kBeginnings));
}

}  // namespace
}  // namespace halfmark::backends::shim
