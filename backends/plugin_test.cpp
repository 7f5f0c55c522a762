// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins: a good one works through the whole C table; a bad one yields one line that names the
// file and the mistake.
#include "backends/plugin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "backends/select.hpp"
#include "backends/tables.hpp"

namespace halfmark::backends {
namespace {

const std::filesystem::path kFixtures = HM_FIXTURE_FOLDER;

std::string fixture(const std::string& name) { return (kFixtures / (name + ".so")).string(); }

TEST(Plugin, RefusalsNameTheFileAndTheMistake) {
  const auto cases = std::to_array<std::pair<const char*, const char*>>({
      {"fixture_old", "speaks version 0 of the backend interface, this program speaks 1"},
      {"fixture_new", "speaks version 2 of the backend interface, this program speaks 1"},
      {"fixture_short", "its table has 16 bytes"},
      {"fixture_huge", "its table claims 4294967295 bytes"},
      {"fixture_no_symbol", "does not export hm_backend_api_v1"},
      {"fixture_no_table", "returns no table"},
      {"fixture_incomplete", "its table lacks the function 'status'"},
      {"fixture_name", "its name 'Bad:Name' is not made of"},
      {"fixture_all", "or is 'all'"},
  });
  for (const auto& [name, mistake] : cases) {
    const LoadedPlugin plugin = open_plugin(fixture(name));
    EXPECT_EQ(nullptr, plugin.api) << name;
    EXPECT_NE(std::string::npos, plugin.refusal.find(mistake)) << plugin.refusal;
    EXPECT_NE(std::string::npos, plugin.refusal.find(fixture(name))) << plugin.refusal;
    EXPECT_EQ(std::string::npos, plugin.refusal.find('\n'));
  }
}

// A later revision appends to the table; this program reads the part that it knows.
TEST(Plugin, ALaterRevisionWorks) { EXPECT_NE(nullptr, open_plugin(fixture("fixture_later")).api); }

TEST(Plugin, LiesAreNamed) {
  const auto cases = std::to_array<std::pair<const char*, const char*>>({
      {"fixture_throw", "status: the backend threw an exception: thrown by the fixture"},
      {"fixture_silent", "status: gives no text"},
      {"fixture_crowd", "device_count: claims 4294967280 devices"},
      {"fixture_growing", "device_count: changed from 1 to 2 while devices were listed"},
      {"fixture_clash", "there is a backend named 'host' already"},
  });
  for (const auto& [name, mistake] : cases) {
    const BackendStatus status = load_plugin(fixture(name));
    EXPECT_TRUE(status.broken) << name;
    EXPECT_TRUE(status.devices.empty()) << name;
    EXPECT_NE(std::string::npos, status.status.find(mistake)) << status.status;
    EXPECT_EQ(std::string::npos, status.status.find('\n'));
  }
}

TEST(Plugin, AFalseDescriptionCostsOnlyItsDevice) {
  const auto cases = std::to_array<std::pair<const char*, const char*>>({
      {"fixture_utf8", "device 0 left out: describe: the description is not UTF-8: byte 9 is 0xff"},
      {"fixture_memory", "'memory_bytes' of the description is 9223372036854775808"},
  });
  for (const auto& [name, mistake] : cases) {
    const BackendStatus status = load_plugin(fixture(name));
    EXPECT_TRUE(status.broken) << name;
    EXPECT_NE(std::string::npos, status.status.find(mistake)) << status.status;
    ASSERT_EQ(1u, status.devices.size()) << name;
    EXPECT_EQ(1u, status.devices[0].index);
    EXPECT_EQ(status.backend + ":1", status.devices[0].selector);
  }
}

TEST(Plugin, WhatIsNoLibraryIsRefused) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "hm_not_a_library.so";
  std::ofstream(file) << "no library\n";
  EXPECT_EQ(nullptr, open_plugin(file).api);
  EXPECT_EQ(nullptr, open_plugin("no_such_file.so").api);
  EXPECT_FALSE(open_plugin("no_such_file.so").refusal.empty());
  std::filesystem::remove(file);
}

TEST(Plugin, PathHoldsFoldersAndFiles) {
  EXPECT_TRUE(plugins_on_path(nullptr).empty());
  EXPECT_TRUE(plugins_on_path("").empty());
  const std::vector<std::filesystem::path> files =
      plugins_on_path(("/no/such/file.so::" + kFixtures.string()).c_str());
  ASSERT_GT(files.size(), 2u);
  EXPECT_EQ("/no/such/file.so", files[0]);
  EXPECT_EQ(fixture("fixture"), files[1]);
  EXPECT_EQ(fixture("fixture_wrap"), files.back());
  EXPECT_TRUE(std::is_sorted(files.begin() + 1, files.end()));
}

// The order matters, so this is one test: the tables of a process only grow.
TEST(Plugin, WorksThroughTheFace) {
  const std::size_t before = enumerate().size();
  EXPECT_EQ("fixture", load_plugin(fixture("fixture")).backend);
  EXPECT_EQ("fixture", load_plugin(fixture("fixture")).backend);
  EXPECT_EQ(fixture("fixture_old"), load_plugin(fixture("fixture_old")).backend);
  EXPECT_EQ(before + 2, enumerate().size());
  const BackendStatus good = status_of("fixture");
  EXPECT_EQ("ok", good.status);
  ASSERT_EQ(2u, good.devices.size());
  EXPECT_EQ("fixture:1", good.devices[1].selector);
  EXPECT_EQ(42, good.devices[0].extra.at("answer"));
  EXPECT_FALSE(good.broken);

  Device device = Device::open("fixture:0");
  Buffer buffer = device.allocate(8);
  const std::array<std::byte, 3> written{std::byte{1}, std::byte{2}, std::byte{3}};
  buffer.write(4, written);
  std::array<std::byte, 3> read{};
  buffer.read(4, read);
  EXPECT_EQ(written, read);
  EXPECT_THROW(buffer.write(6, written), BackendError);
}

// The reference and the judge compute in this thread, after calls of the driver.
TEST(Plugin, ArithmeticIsAsBeforeHoweverTheDriverLeavesIt) {
  const auto expect_sound = [](const char* after) {
    EXPECT_EQ(FE_TONEAREST, std::fegetround()) << after;
    const volatile float least = std::numeric_limits<float>::min();
    EXPECT_NE(0.0F, least / 2) << "subnormals are flushed after " << after;
  };
  ASSERT_NE(nullptr, open_plugin(fixture("fixture_careless")).api);
  expect_sound("loading");
  ASSERT_EQ("ok", load_plugin(fixture("fixture_careless")).status);
  expect_sound("listing");
  std::optional<Device> device = Device::open("careless:0");
  expect_sound("opening");
  static_cast<void>(device->allocate(8));
  expect_sound("freeing memory");
  device.reset();
  expect_sound("closing");
}

// A library that flushes in the thread that loads it flushes in every program that uses it.
TEST(Plugin, ADriverFindsTheArithmeticThatItLeft) {
  ASSERT_EQ(FE_TONEAREST, std::fegetround());
  called("round", [] { std::fesetround(FE_UPWARD); });
  EXPECT_EQ(FE_TONEAREST, std::fegetround());
  EXPECT_EQ(FE_UPWARD, called("ask", [] { return std::fegetround(); }));
  called("round", [] { std::fesetround(FE_TONEAREST); });
}

TEST(Plugin, ErrorsCarryTheVendorsWords) {
  (void)load_plugin(fixture("fixture"));
  try {
    (void)Device::open("fixture:1");
    FAIL() << "opened";
  } catch (const BackendError& error) {
    EXPECT_EQ("fixtureOpen", error.call);
    EXPECT_EQ(77, error.code);
    EXPECT_EQ("the second device is gone", error.vendor_text);
    EXPECT_TRUE(error.device_lost);
  }
  Device device = Device::open("fixture:0");
  try {
    (void)device.build("", std::vector<Define>{{"SOME_NAME", "1"}});
    FAIL() << "built";
  } catch (const BackendError& error) {
    EXPECT_EQ("SOME_NAME", error.vendor_text);
    EXPECT_FALSE(error.device_lost);
  }
}

// Whoever reads the refusal must know which strings the plug-in did not know.
TEST(Plugin, AnOperatorDeclinedWithoutWordsIsNamedWithItsOptions) {
  const auto declined = [](const std::string& name) {
    (void)load_plugin(fixture("fixture_" + name));
    Device device = Device::open(name + ":0");
    Buffer buffer = device.allocate(8);
    const OperatorCall call{
        .library = "l",
        .name = "softmax",
        .compute = "fp32",
        .tensors =
            {{.role = "x", .buffer = &buffer, .format = "fp16", .sizes = {4}, .strides = {1}}},
        .scalars = {},
        .options = {{"masked_row", "zero"}}};
    const OperatorOutcome outcome = device.run(call);
    EXPECT_FALSE(outcome.supported);
    return outcome.answer;
  };
  EXPECT_EQ(
      "the library declines 'softmax' with compute 'fp32', masked_row=zero, x of fp16, and gives "
      "no reason",
      declined("declines"));
  EXPECT_EQ(
      "the backend's table has no 'operator_run', which calls 'softmax' with compute 'fp32', "
      "masked_row=zero, x of fp16",
      declined("plain"));
}

TEST(Plugin, WordsOfAnErrorAreSafeToPrint) {
  for (const auto& [name, words] :
       {std::pair("loud", "?[31mred\nline"), std::pair("mute", "no text")}) {
    (void)load_plugin(fixture(std::string("fixture_") + name));
    try {
      (void)Device::open(std::string(name) + ":1");
      FAIL() << "opened";
    } catch (const BackendError& error) {
      EXPECT_EQ(words, error.vendor_text);
    }
  }
}

}  // namespace
}  // namespace halfmark::backends
