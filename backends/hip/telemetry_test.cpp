// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/telemetry.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace halfmark::backends::hip::telemetry {
namespace {

// rsmi_frequencies_t until release 5: no flag before the numbers.
TEST(Frequencies, OldLayoutIsToldFromTheNew) {
  struct Old {
    std::uint32_t count = 2;
    std::uint32_t current = 1;
    std::uint64_t hertz[32] = {300'000'000, 1'700'000'000};
  } old;
  Block block{};
  std::memcpy(block.bytes.data(), &old, sizeof old);
  const auto found = frequencies_in(block);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(1'700'000'000u, found->current);
  EXPECT_EQ(1'700'000'000u, found->most);
  EXPECT_EQ(std::nullopt, frequencies_in(Block{}));
}

}  // namespace
}  // namespace halfmark::backends::hip::telemetry
