// SPDX-License-Identifier: Apache-2.0
// Names round-trip, the sizes at which engines split copies are covered, and the pattern encodes
// what it must.
#include "suites/transfer/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/transfer/binding.hpp"

namespace halfmark::suites::transfer {
namespace {

constexpr std::size_t kWindow = 65536;

TEST(TransferSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(TransferSuite, AsksForTheSizesThatEnginesCutAt) {
  std::set<std::size_t> sizes;
  for (const Case& c : suite().cases(Level::kSmoke, 1)) sizes.insert(bind(c).bytes);
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, kWindow - 1, kWindow, kWindow + 1,
        2 * kWindow, 3 * kWindow, 16 * kWindow, 64 * kWindow}) {
    EXPECT_TRUE(sizes.contains(bytes)) << bytes;
  }
}

TEST(TransferSuite, CopiesOfAllMemoryHaveAnotherSize) {
  for (const Case& c : suite().cases(Level::kStandard, 1)) {
    const Binding b = bind(c);
    EXPECT_GE(b.memory_bytes(), b.end() + 256);
    EXPECT_NE(0U, b.memory_bytes() % kWindow) << print(c);
  }
  const Binding fills_a_window{.bytes = kWindow - 256};
  EXPECT_EQ(kWindow + 4096, fills_a_window.memory_bytes());
}

TEST(TransferSuite, RefusesRangesWithoutBytes) {
  for (const char* range : {"n0o0", "n268435457o0", "n1o268435457"}) {
    const Case c = make_case(
        "transfer", suite().axes,
        std::initializer_list<std::string_view>{"portable", range, "upload-whole", "read-whole"},
        1);
    EXPECT_THROW(static_cast<void>(bind(c)), UsageError) << range;
  }
}

TEST(TransferSuite, AnAllocationBeyondTheDevicesLimitIsNotSupported) {
  backends::DeviceInfo device;
  EXPECT_FALSE(beyond_an_allocation(device, std::size_t{1} << 28)) << "the device sets no limit";
  device.extra["CL_DEVICE_MAX_MEM_ALLOC_SIZE"] = std::uint64_t{1} << 20;
  EXPECT_FALSE(beyond_an_allocation(device, std::size_t{1} << 20));
  EXPECT_EQ("CL_DEVICE_MAX_MEM_ALLOC_SIZE is 1048576 bytes, and the case needs 1048577",
            beyond_an_allocation(device, (std::size_t{1} << 20) + 1).value_or(""));
}

TEST(TransferSuite, APassIsEarned) {
  const Case c = suite().cases(Level::kSmoke, 1).front();
  const TensorSet expected = suite().bind(c)->expect({}).middle;
  EXPECT_EQ("", unearned({}, expected, 0));
  for (const auto& [name, tensor] : expected) {
    for (std::size_t i = 0; i < tensor.count(); ++i)
      ASSERT_FALSE(formats::is_nan(*tensor.format, tensor.at(i))) << name << ' ' << i;
  }
}

TEST(TransferPattern, DiffersInEveryByteOfEveryGeneration) {
  for (std::size_t place = 0; place < 4 * kWindow; place += 4093) {
    std::set<std::byte> bytes;
    for (const Generation g : kGenerations) bytes.insert(byte_at(g, place));
    EXPECT_EQ(std::size(kGenerations), bytes.size()) << place;
  }
}

TEST(TransferPattern, WordsSayWhereTheyBelong) {
  for (const Generation g : kGenerations) {
    const std::vector<std::byte> bytes = pattern(g, kWindow);
    for (std::size_t place = 0; place < kWindow; place += 4) {
      const std::optional<Word> word = word_in(&bytes[place]);
      ASSERT_TRUE(word);
      ASSERT_EQ(g, word->generation);
      ASSERT_EQ(place, word->place);
    }
  }
  const std::byte zeros[4]{};
  EXPECT_FALSE(word_in(zeros));
}

}  // namespace
}  // namespace halfmark::suites::transfer
