// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/device_identity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace halfmark::suites {
namespace {

using nlohmann::json;

backends::DeviceInfo device() {
  backends::DeviceInfo info;
  info.selector = "toy:0";
  info.backend = "toy";
  info.name = "Toy";
  info.driver_version = "1.0";
  info.memory_bytes = 1000;
  info.promises = {
      {.capability = "fp16.arithmetic", .offered = true, .evidence = "yes", .clause = "c"}};
  info.libraries = {{.name = "ToyBLAS",
                     .version = "2",
                     .kind = "library",
                     .operators = {"gemm"},
                     .usable = true,
                     .evidence = "/lib/toy"}};
  info.extra = {{"compiler", "toycc"}, {"MHZ", 1500}, {"telemetry", {{"state", "P0"}}}};
  return info;
}

template <typename Change>
std::string changed(const Change& change) {
  backends::DeviceInfo other = device();
  json files = {{"/lib/toy.so", "00ff"}};
  const json before = device_identity(other, files);
  change(other, files);
  return difference(before, device_identity(other, files));
}

TEST(DeviceIdentity, IsOfWordsNotOfReadings) {
  EXPECT_EQ("", changed([](auto&, json&) {}));
  EXPECT_EQ("", changed([](auto& d, json&) {
              d.memory_bytes = 999;
              d.index = 3;
              d.extra["MHZ"] = 300;
              d.extra["telemetry"] = {{"state", "P8"}};
            }));
}

TEST(DeviceIdentity, EveryWordCounts) {
  EXPECT_EQ(R"(driver_version was "1.0", is "1.1")",
            changed([](auto& d, json&) { d.driver_version = "1.1"; }));
  EXPECT_EQ(R"(name was "Toy", is "Toyer")", changed([](auto& d, json&) { d.name = "Toyer"; }));
  EXPECT_EQ(R"(extra/fault was nothing, is "G10")",
            changed([](auto& d, json&) { d.extra["fault"] = "G10"; }));
  EXPECT_EQ(R"(extra/compiler was "toycc", is "gcc")",
            changed([](auto& d, json&) { d.extra["compiler"] = "gcc"; }));
  EXPECT_NE("", changed([](auto& d, json&) { d.promises[0].offered = false; }));
  EXPECT_NE("", changed([](auto& d, json&) { d.libraries[0].version = "3"; }));
  EXPECT_NE("", changed([](auto& d, json&) { d.plugin = "/tmp/toy.so"; }));
}

TEST(DeviceIdentity, EveryLoadedFileCounts) {
  EXPECT_EQ(R"(loaded_files/~1lib~1toy.so was "00ff", is "ff00")",
            changed([](auto&, json& files) { files["/lib/toy.so"] = "ff00"; }));
  EXPECT_NE("", changed([](auto&, json& files) { files["/lib/more.so"] = "00"; }));
}

TEST(Difference, NamesTheFirstThreeAndCountsTheRest) {
  EXPECT_EQ("a was 1, is 2; b was 1, is 2; c was 1, is 2; 1 more differ",
            difference({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}},
                       {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}}));
  EXPECT_EQ("level was \"smoke\", is nothing", difference({{"level", "smoke"}}, json::object()));
  EXPECT_EQ("level was nothing, is \"smoke\"", difference(nullptr, {{"level", "smoke"}}));
}

TEST(CodeIn, IsOfFilesThatStay) {
  std::istringstream maps(
      "7f00-7f01 r--p 00000000 fe:00 1 /usr/lib/data.so\n"
      "7f01-7f02 r-xp 00000000 fe:00 2 /usr/lib/driver.so.1 with a blank\n"
      "7f02-7f03 r-xp 00000000 fe:00 3 /usr/lib/old.so (deleted)\n"
      "7f03-7f04 r-xp 00000000 00:01 4 /memfd:jit (deleted)\n"
      "7f04-7f05 r-xp 00000000 fe:00 5 /tmp/kernel-8251.so\n"
      "7f05-7f06 r-xp 00000000 fe:00 6 /root/.cache/driver/kernel.so\n"
      "7f06-7f07 rwxs 00000000 00:05 7 /dev/card0\n"
      "7f07-7f08 r-xp 00000000 00:00 0 [vdso]\n"
      "7f08-7f09 r-xp 00000000 00:00 0\n");
  EXPECT_EQ((std::set<std::string>{"/usr/lib/driver.so.1 with a blank"}), code_in(maps));
}

TEST(LoadedFiles, HoldThePluginWhereverItLies) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "plugin.so";
  std::ofstream(file) << "one";
  LoadedFiles files;
  const json one = files.of(::getpid(), file.string());
  ASSERT_TRUE(one.contains(file.string()));
  std::ofstream(file) << "other";
  EXPECT_NE(one, files.of(::getpid(), file.string()));
}

// Files of this program do not count; /bin/sleep stands for a worker with other code.
TEST(LoadedFiles, AreThoseOfTheWorkerAlone) {
  LoadedFiles files;
  EXPECT_EQ(json::object(), files.of(::getpid(), ""));
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sleep", "sleep", "30", nullptr);
    ::_exit(127);
  }
  ASSERT_LT(0, child);
  json loaded;
  for (int i = 0; i < 500 && !loaded.contains("/bin/sleep") && !loaded.contains("/usr/bin/sleep");
       ++i) {
    ::usleep(10'000);
    loaded = files.of(child, "");
  }
  ::kill(child, SIGKILL);
  ASSERT_FALSE(loaded.empty());
  for (const auto& [file, digest] : loaded.items())
    EXPECT_EQ(64u, digest.get<std::string>().size()) << file;
}

}  // namespace
}  // namespace halfmark::suites
