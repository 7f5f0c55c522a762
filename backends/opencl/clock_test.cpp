// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/clock.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends::opencl {
namespace {

constexpr Reading kGood{.call = "read", .code = CL_SUCCESS, .begin = 1000, .end = 1700};

TEST(DeviceClock, IsOfEventsWhereTheDeviceHasATimer) {
  DeviceClock clock(true);
  EXPECT_TRUE(clock.uses_events());
  EXPECT_EQ(700u, clock.elapsed_ns(kGood, 900));
  EXPECT_EQ("events", clock.words());
}

TEST(DeviceClock, IsTheHostsWithoutATimerWhateverTheEventsSay) {
  DeviceClock clock(false);
  EXPECT_FALSE(clock.uses_events());
  EXPECT_EQ(900u, clock.elapsed_ns(kGood, 900));
  EXPECT_EQ("host: CL_DEVICE_PROFILING_TIMER_RESOLUTION is 0, there is no timer", clock.words());
}

TEST(DeviceClock, StaysTheHostsAfterACallThatFailed) {
  DeviceClock clock(true);
  EXPECT_EQ(900u, clock.elapsed_ns({.call = "read", .code = CL_PROFILING_INFO_NOT_AVAILABLE}, 900));
  EXPECT_EQ(800u, clock.elapsed_ns(kGood, 800));
  EXPECT_FALSE(clock.uses_events());
  EXPECT_EQ("host: read failed with CL_PROFILING_INFO_NOT_AVAILABLE", clock.words());
}

TEST(DeviceClock, StaysTheHostsAfterTimeRanBackwards) {
  DeviceClock clock(true);
  EXPECT_EQ(900u, clock.elapsed_ns({.call = "read", .begin = 5, .end = 4}, 900));
  EXPECT_EQ(800u, clock.elapsed_ns(kGood, 800));
  EXPECT_EQ("host: an event ended at 4 ns, before it began at 5 ns", clock.words());
}

}  // namespace
}  // namespace halfmark::backends::opencl
