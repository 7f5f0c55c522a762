// SPDX-License-Identifier: Apache-2.0
// The engine's guard against hosts that changed the floating-point state, and the check that would
// notice if the guard had failed.
#include "reference/fast/floating_point.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "reference/fast/parallel.hpp"

namespace halfmark::fast {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t kSane = 0x1f80;
// FTZ, DAZ, the three other rounding directions, an unmasked trap (inexact), everything at once.
constexpr std::uint64_t kHostile[] = {0x9f80, 0x1fc0, 0x3f80, 0x5f80, 0x7f80, 0x0f80, 0xefc0};
constexpr std::uint64_t kUnmasked = 0x0f80;
constexpr std::uint64_t kRaised = 0x3f;  // sticky flags

// Leaves the state of the test's thread alone.
class Host {
 public:
  explicit Host(std::uint64_t control) : before_(floating_point_control()) {
    set_floating_point_control(control);
  }
  ~Host() { set_floating_point_control(before_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

 private:
  std::uint64_t before_;
};

TEST(FloatingPoint, AScopeIsSaneAndPutsBackWhatWasThere) {
  for (const std::uint64_t control : kHostile) {
    const Host host(control);
    {
      const FloatingPointScope scope;
      EXPECT_EQ(kSane, floating_point_control());
      EXPECT_NO_THROW(require_sound_arithmetic());
    }
    EXPECT_EQ(control, floating_point_control());
  }
}

TEST(FloatingPoint, AScopeMayRoundTowardZero) {
  const FloatingPointScope scope(Direction::kTowardZero);
  EXPECT_NO_THROW(require_sound_arithmetic(Direction::kTowardZero));
  EXPECT_THROW(require_sound_arithmetic(Direction::kNearEven), std::runtime_error);
}

TEST(FloatingPoint, TheCheckSeesEveryHostileState) {
  for (const std::uint64_t control : kHostile) {
    if (control == kUnmasked) continue;  // would trap, not answer
    const Host host(control | kSane);    // traps masked
    EXPECT_THROW(require_sound_arithmetic(), std::runtime_error) << std::hex << control;
  }
}

TEST(FloatingPoint, EveryThreadOfTheEngineIsSane) {
  for (const std::uint64_t control : kHostile) {
    const Host host(control);
    for (const unsigned threads : {1U, 2U, 5U}) {
      std::vector<std::uint64_t> seen(16);
      for_each_part(seen.size(), threads, Direction::kNearEven,
                    [&](std::size_t part) { seen[part] = floating_point_control() & ~kRaised; });
      EXPECT_EQ(std::vector<std::uint64_t>(16, kSane), seen);
      EXPECT_EQ(control, floating_point_control());
    }
  }
}
#endif

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
