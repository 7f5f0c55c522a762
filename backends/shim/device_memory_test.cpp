// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/device_memory.hpp"

#include <gtest/gtest.h>

#include <set>

namespace halfmark::backends::shim {
namespace {

std::set<std::uint64_t> g_held;  // the addresses that a driver has given and not got back
bool g_is_full = false;

Status allocate(Address* address, std::size_t) {
  static std::uint64_t last = 0;
  if (g_is_full) return 2;
  *address = Address{++last};
  g_held.insert(last);
  return 0;
}

Status release(Address address) {
  return g_held.erase(static_cast<std::uint64_t>(address)) == 1 ? 0 : 1;
}

DriverCalls driver() {
  DriverCalls calls{};
  calls.allocate = allocate;
  calls.release = release;
  return calls;
}

std::uint64_t address_of(const DeviceBlock& block) {
  return reinterpret_cast<std::uintptr_t>(block.pointer());
}

TEST(DeviceMemory, ALargerRequestKeepsWhatAnEarlierOneHolds) {
  const DriverCalls calls = driver();
  {
    GrowingMemory memory(calls);
    auto first = memory.of(100);
    const auto second = memory.of(200);
    EXPECT_NE(first->pointer(), second->pointer());
    EXPECT_TRUE(g_held.contains(address_of(*first))) << "a queued call still works with it";
    const std::uint64_t former = address_of(*first);
    first.reset();
    EXPECT_FALSE(g_held.contains(former));
  }
  EXPECT_TRUE(g_held.empty());
}

TEST(DeviceMemory, AFormerBlockThatNobodyHoldsMakesRoomFirst) {
  const DriverCalls calls = driver();
  GrowingMemory memory(calls);
  const std::uint64_t small = address_of(*memory.of(100));
  EXPECT_EQ(small, address_of(*memory.of(60))) << "it is large enough";
  EXPECT_NE(small, address_of(*memory.of(101)));
  EXPECT_EQ(1u, g_held.size());
}

TEST(DeviceMemory, ARefusedRequestLeavesItUsable) {
  const DriverCalls calls = driver();
  GrowingMemory memory(calls);
  const auto held = memory.of(100);
  g_is_full = true;
  EXPECT_THROW(static_cast<void>(memory.of(200)), BackendError);
  g_is_full = false;
  EXPECT_TRUE(g_held.contains(address_of(*held)));
  EXPECT_EQ(300u, memory.of(300)->bytes());
}

}  // namespace
}  // namespace halfmark::backends::shim
