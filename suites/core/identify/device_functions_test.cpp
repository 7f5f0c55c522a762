// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/device_functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace halfmark::suites {
namespace {

// The software device has the functions of the host's C library.
TEST(DeviceFunctions, AreThoseOfTheDevice) {
  Session session(backends::Device::open("host"));
  const auto functions = own_functions(session);
  ASSERT_NE(nullptr, functions);
  ASSERT_TRUE(functions->offers("exp"));
  const std::array<float, 5> arguments{0.0F, -1.0F, -0.3F, -1.0F, -80.5F};
  const std::vector<float> values = functions->values("exp", arguments);
  ASSERT_EQ(arguments.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::exp(arguments[i]), values[i]) << i;
  EXPECT_EQ(std::log(3.0F), functions->values("log", {{3.0F}})[0]);
}

TEST(DeviceFunctions, AnswerOldAndNewArgumentsTogether) {
  Session session(backends::Device::open("host"));
  const auto functions = own_functions(session);
  const std::array<float, 2> first{-1.0F, -2.0F}, second{-2.0F, -3.0F};
  const std::vector<float> before = functions->values("exp", first);
  const std::vector<float> after = functions->values("exp", second);
  EXPECT_EQ(before[1], after[0]);
  EXPECT_EQ(std::exp(-3.0F), after[1]);
  EXPECT_TRUE(functions->values("exp", {}).empty());
}

TEST(DeviceFunctions, AreNoneWhereTheLanguageHasNone) {
  Session session(backends::Device::open("host"));
  const auto functions = own_functions(session);
  EXPECT_FALSE(functions->offers("rsqrt"));
  EXPECT_FALSE(functions->offers("fast-recip"));
  EXPECT_FALSE(functions->offers("gelu"));
  EXPECT_THROW(static_cast<void>(functions->values("rsqrt", {{2.0F}})), std::logic_error);
  EXPECT_FALSE(are_offered(nullptr, "exp"));
}

TEST(DeviceFunctions, AreNoneWhereGroupsAreSmallerThanTheirs) {
  backends::DeviceInfo device = backends::Device::open("host").info();
  EXPECT_TRUE(has_own_functions(device));
  device.max_group_items = 64;
  EXPECT_TRUE(has_own_functions(device));
  device.max_group_items = 32;
  EXPECT_FALSE(has_own_functions(device));
}

}  // namespace
}  // namespace halfmark::suites
