// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins: a good one works through the whole C table; a bad one becomes one line that names the
// file and the mistake.
#include "backends/plugin.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "backends/backend.hpp"
#include "backends/select.hpp"

namespace halfmark::backends {
namespace {

const std::filesystem::path kFixtures = HM_FIXTURE_FOLDER;

std::string fixture(const std::string& name) { return (kFixtures / (name + ".so")).string(); }

// Read once per process, so it is set before any test runs.
class PluginPath : public testing::Environment {
  void SetUp() override { setenv("HALFMARK_PLUGIN_PATH", fixture("fixture_new").c_str(), 1); }
};
[[maybe_unused]] const testing::Environment* const kPluginPath =
    testing::AddGlobalTestEnvironment(new PluginPath);

BackendStatus status_of(const std::string& backend) {
  for (const BackendStatus& status : enumerate()) {
    if (status.backend == backend) return status;
  }
  return {backend, "not listed", {}};
}

TEST(Plugin, EnvironmentNamesPlugins) {
  const BackendStatus status = status_of(fixture("fixture_new"));
  EXPECT_TRUE(status.devices.empty());
  EXPECT_NE(std::string::npos, status.status.find("speaks version 2")) << status.status;
}

TEST(Plugin, RefusalsNameTheFileAndTheMistake) {
  const std::array<std::pair<const char*, const char*>, 6> cases{{
      {"fixture_old", "speaks version 0 of the backend interface, this program speaks 1"},
      {"fixture_new", "speaks version 2 of the backend interface, this program speaks 1"},
      {"fixture_short", "its table has 16 bytes"},
      {"fixture_no_symbol", "does not export hm_backend_api_v1"},
      {"fixture_no_table", "returns no table"},
      {"fixture_incomplete", "its table lacks a function"},
  }};
  for (const auto& [name, mistake] : cases) {
    const LoadedPlugin plugin = open_plugin(fixture(name));
    EXPECT_EQ(nullptr, plugin.api) << name;
    EXPECT_NE(std::string::npos, plugin.refusal.find(mistake)) << plugin.refusal;
    EXPECT_NE(std::string::npos, plugin.refusal.find(fixture(name))) << plugin.refusal;
    EXPECT_EQ(std::string::npos, plugin.refusal.find('\n'));
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
  ASSERT_EQ(8u, files.size());  // the file that does not exist, and the seven fixtures
  EXPECT_EQ("/no/such/file.so", files[0]);
  EXPECT_EQ(fixture("fixture"), files[1]);
  EXPECT_EQ(fixture("fixture_short"), files[7]);
}

// The order matters here, so it is one test: tables of a process only grow.
TEST(Plugin, WorksThroughTheFace) {
  const std::size_t before = enumerate().size();
  load_plugin(fixture("fixture"));
  load_plugin(fixture("fixture"));
  load_plugin(fixture("fixture_old"));
  EXPECT_EQ(before + 2, enumerate().size());
  const BackendStatus good = status_of("fixture");
  EXPECT_EQ("ok", good.status);
  ASSERT_EQ(2u, good.devices.size());
  EXPECT_EQ("fixture:1", good.devices[1].selector);
  EXPECT_EQ(42, good.devices[0].extra.at("answer"));
  const BackendStatus bad = status_of(fixture("fixture_old"));
  EXPECT_TRUE(bad.devices.empty());
  EXPECT_NE(std::string::npos, bad.status.find("speaks version 0")) << bad.status;

  Device device = Device::open("fixture:0");
  Buffer buffer = device.allocate(8);
  const std::array<std::byte, 3> written{std::byte{1}, std::byte{2}, std::byte{3}};
  buffer.write(4, written);
  std::array<std::byte, 3> read{};
  buffer.read(4, read);
  EXPECT_EQ(written, read);
  EXPECT_THROW(buffer.write(6, written), BackendError);
}

TEST(Plugin, ErrorsCarryTheVendorsWords) {
  load_plugin(fixture("fixture"));
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

}  // namespace
}  // namespace halfmark::backends
