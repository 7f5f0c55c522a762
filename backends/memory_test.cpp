// SPDX-License-Identifier: Apache-2.0
// What is believed of a backend's word on a device's memory, and whether the devices of this
// machine that answer follow what is allocated.
#include <gtest/gtest.h>

#include "backends/backend.hpp"
#include "backends/memory_of.hpp"
#include "backends/testing/test_devices.hpp"

namespace halfmark::backends {
namespace {

constexpr std::uint64_t kGiga = 1'000'000'000;

// What the table of the test answers.
struct Answer {
  std::int32_t status = 0;
  HmMemory memory = {"cuMemGetInfo_v2", kGiga, 3 * kGiga, 0, 0, 0};
  bool lost = false, throws = false;
};
Answer answer;

void last_error(void*, HmErrorInfo* error) {
  *error = {"theCall", 7, answer.lost ? 1 : 0, "its own words"};
}
std::int32_t device_memory(HmDevice*, HmMemory* memory) {
  if (answer.throws) throw std::runtime_error("thrown");
  if (answer.status == 0) *memory = answer.memory;
  return answer.status;
}

HmBackendApi table() {
  HmBackendApi api{};
  api.abi_version = HM_BACKEND_ABI_VERSION;
  api.struct_bytes = sizeof(HmBackendApi);
  api.last_error = last_error;
  api.device_memory = device_memory;
  return api;
}

MemoryAnswer asked(const Answer& given) {
  answer = given;
  return memory_of(table(), nullptr);
}

TEST(MemoryOf, IsWhatTheBackendSays) {
  const MemoryAnswer got = asked({});
  EXPECT_TRUE(got.known);
  EXPECT_EQ("cuMemGetInfo_v2", got.source);
  EXPECT_FALSE(got.of_process);
  EXPECT_EQ(2 * kGiga, got.used_bytes) << "everybody's: what is not free";
  EXPECT_EQ(kGiga, got.free_bytes);
  EXPECT_EQ(3 * kGiga, got.total_bytes);
}

TEST(MemoryOf, OfAProcessIsItsOwn) {
  const MemoryAnswer got = asked({.memory = {"statm", kGiga, 3 * kGiga, 5, 1, 0}});
  EXPECT_TRUE(got.known);
  EXPECT_TRUE(got.of_process);
  EXPECT_EQ(5U, got.used_bytes);
}

TEST(MemoryOf, AnOlderTableDoesNotSay) {
  HmBackendApi older = table();
  older.struct_bytes = offsetof(HmBackendApi, device_memory);
  HmBackendApi null = table();
  null.device_memory = nullptr;
  for (const HmBackendApi& api : {older, null}) {
    const MemoryAnswer got = memory_of(api, nullptr);
    EXPECT_FALSE(got.known);
    EXPECT_EQ("the backend's table has no 'device_memory'", got.answer);
  }
}

TEST(MemoryOf, NumbersThatCannotBeAreNotKnown) {
  const std::pair<HmMemory, std::string> kCases[] = {
      {{"a", 5, 3, 0, 0, 0}, "a says that 5 of 3 bytes are free, which cannot be"},
      {{"a", 1, 3, 4, 1, 0}, "a says that 4 of 3 bytes are used, which cannot be"},
      {{"a", 0, 0, 0, 0, 0}, "a says that the device has no memory"},
      {{nullptr, 5, 3, 0, 0, 0}, "the backend says that 5 of 3 bytes are free, which cannot be"}};
  for (const auto& [said, words] : kCases) {
    const MemoryAnswer got = asked({.memory = said});
    EXPECT_FALSE(got.known);
    EXPECT_EQ(words, got.answer);
    EXPECT_EQ(0U, got.used_bytes);
  }
}

TEST(MemoryOf, ARefusalIsTheBackendsReason) {
  EXPECT_EQ("its own words", asked({.status = HM_NOT_SUPPORTED}).answer);
  EXPECT_NE(std::string::npos, asked({.status = 1}).answer.find("theCall"));
  EXPECT_NE(std::string::npos, asked({.throws = true}).answer.find("thrown"));
  EXPECT_FALSE(asked({.throws = true}).known);
}

TEST(MemoryOf, ALostDeviceIsNoAnswer) {
  EXPECT_THROW((void)asked({.status = 1, .lost = true}), BackendError);
}

class DeviceMemory : public testing::TestWithParam<DeviceInfo> {};

TEST_P(DeviceMemory, FollowsWhatIsAllocatedWhereItIsKnown) {
  Device device = Device::open(GetParam().selector);
  constexpr std::uint64_t kBytes = 200'000'000, kSlack = 4'000'000;
  const std::vector<std::byte> content(kBytes, std::byte{1});
  const MemoryAnswer before = device.memory();
  if (!before.known) {
    EXPECT_NE("", before.answer);
    GTEST_SKIP() << before.answer;
  }
  std::optional<Buffer> buffer = device.allocate(kBytes);
  buffer->write(0, content);
  const MemoryAnswer with = device.memory();
  buffer.reset();
  ASSERT_TRUE(with.known) << with.answer;
  EXPECT_GE(with.used_bytes + kSlack, before.used_bytes + kBytes) << with.source;
  EXPECT_LE(with.used_bytes, before.used_bytes + 2 * kBytes) << with.source;
  // A runtime may keep what was released, but must go on answering.
  EXPECT_TRUE(device.memory().known) << device.memory().answer;
}

INSTANTIATE_TEST_SUITE_P(Memory, DeviceMemory, testing::ValuesIn(all_devices()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceMemory);

}  // namespace
}  // namespace halfmark::backends
