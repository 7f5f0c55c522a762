// SPDX-License-Identifier: Apache-2.0
// The engine's guard against hosts that changed the floating-point state, and the check that would
// detect a failure of the guard.
#include "reference/fast/floating_point.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "reference/fast/hostile.hpp"
#include "reference/fast/parallel.hpp"

namespace halfmark::fast {
namespace {

TEST(FloatingPoint, AScopeIsSaneAndPutsBackWhatWasThere) {
  for (const std::uint64_t control : kHostStates) {
    const HostileHost host(control | kStickyFlags);
    {
      const FloatingPointScope scope;
      EXPECT_EQ(kDefaultState, floating_point_control());
      EXPECT_NO_THROW(require_sound_arithmetic());
    }
    EXPECT_EQ(control | kStickyFlags, floating_point_control());
  }
}

TEST(FloatingPoint, AScopeMayRoundTowardZero) {
  const FloatingPointScope scope(Direction::kTowardZero);
  EXPECT_NO_THROW(require_sound_arithmetic(Direction::kTowardZero));
  EXPECT_THROW(require_sound_arithmetic(Direction::kNearEven), std::runtime_error);
}

TEST(FloatingPoint, TheCheckSeesEveryHostileState) {
  for (const std::uint64_t control : kHostStates) {
    const std::uint64_t silent = control | kTrapsMasked;  // otherwise it would trap instead
                                                          // of throwing
    if (silent == kDefaultState) continue;
    const HostileHost host(silent);
    EXPECT_THROW(require_sound_arithmetic(), std::runtime_error) << std::hex << control;
  }
}

TEST(FloatingPoint, EveryThreadOfTheEngineIsSane) {
  for (const std::uint64_t control : kHostStates) {
    const HostileHost host(control);
    for (const unsigned threads : {1U, 2U, 5U}) {
      std::vector<std::uint64_t> seen(16);
      for_each_part(seen.size(), threads, Direction::kNearEven, [&](std::size_t part) {
        seen[part] = floating_point_control() & ~kStickyFlags;
      });
      EXPECT_EQ(std::vector<std::uint64_t>(16, kDefaultState), seen);
      EXPECT_EQ(control, floating_point_control());
    }
  }
}

TEST(Parallel, EveryPartOnce) {
  for (const unsigned threads : {0U, 1U, 3U, 64U}) {
    std::vector<int> calls(100);
    for_each_part(calls.size(), threads, Direction::kNearEven,
                  [&](std::size_t part) { ++calls[part]; });
    EXPECT_EQ(std::vector<int>(100, 1), calls);
  }
}

TEST(Parallel, AnExceptionArrives) {
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_THROW(for_each_part(50, threads, Direction::kNearEven,
                               [](std::size_t part) {
                                 if (part == 17) throw std::out_of_range("seventeen");
                               }),
                 std::out_of_range);
  }
}

}  // namespace
}  // namespace halfmark::fast
