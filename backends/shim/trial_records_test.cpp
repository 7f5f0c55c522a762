// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/trial_records.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/cache_entry.hpp"
#include "backends/cache_folder.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kVariable = "HM_TEST_LIBRARY";

// A folder for records, and a candidate file for the library.
class TrialRecordsTest : public testing::Test {
 protected:
  TrialRecordsTest()
      : folder_(fs::temp_directory_path() / ("halfmark-trials-" + std::to_string(getpid()))),
        library_(folder_ / "libthing.so.1") {
    fs::create_directories(folder_);
    std::ofstream(library_) << "text";
    ::setenv("HALFMARK_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    ::unsetenv(kVariable);
    ::unsetenv("LD_LIBRARY_PATH");
  }
  ~TrialRecordsTest() override { fs::remove_all(folder_); }

  [[nodiscard]] static std::string key(const char* part = "driver") {
    static constexpr const char* kNames[] = {"libthing.so.1"};
    static constexpr const char* kVariables[] = {"THING_"};
    const std::string parts[] = {part};
    return trial_key(
        parts, {.variable = kVariable, .names = kNames, .folders = {}, .symbols = {}, .remedy = ""},
        kVariables);
  }
  [[nodiscard]] static TrialRecord record(const std::string& key) {
    return {own_cache_folder("trials"), key};
  }
  [[nodiscard]] static fs::path file_of(const std::string& key) {
    return own_cache_folder("trials") / (key + ".json");
  }
  void change_library() const {
    fs::last_write_time(library_, fs::last_write_time(library_) + std::chrono::seconds(1));
  }

  fs::path folder_;
  fs::path library_;
  const json outcome_ = {{"path", "libthing.so.1"}, {"way", 1}};
};

TEST_F(TrialRecordsTest, HoldsUntilAFileChanges) {
  EXPECT_FALSE(record("a").outcome());
  EXPECT_TRUE(record("a").keep(outcome_, {library_}));
  EXPECT_EQ(outcome_, record("a").outcome());
  EXPECT_FALSE(record("b").outcome());
  change_library();
  EXPECT_FALSE(record("a").outcome());
  EXPECT_TRUE(record("a").keep(outcome_, {library_}));
  EXPECT_EQ(outcome_, record("a").outcome());
  fs::remove(library_);
  EXPECT_FALSE(record("a").outcome());
}

TEST_F(TrialRecordsTest, WhatCannotBeReadIsNoRecord) {
  for (const char* text : {"", "{", "[]", "{\"outcome\":1}", "{\"files\":{}}"}) {
    ASSERT_TRUE(keep_entry(file_of("a"), "a", text));
    EXPECT_FALSE(record("a").outcome()) << text;
  }
}

TEST_F(TrialRecordsTest, WhatSomethingElseHasWrittenIsNoRecord) {
  std::ofstream(file_of("a")) << R"({"outcome":{"path":"libother.so"},"files":{}})";
  EXPECT_FALSE(record("a").outcome());
  ASSERT_TRUE(record("a").keep(outcome_, {}));
  fs::rename(file_of("a"), file_of("b"));
  EXPECT_FALSE(record("b").outcome());
  ASSERT_EQ(0, ::mkfifo(file_of("a").c_str(), 0600));
  ::alarm(10);
  EXPECT_FALSE(record("a").outcome());
  ::alarm(0);
  EXPECT_TRUE(record("a").keep(outcome_, {}));
  EXPECT_EQ(outcome_, record("a").outcome());
}

// A record's path is loaded as code.
TEST_F(TrialRecordsTest, AFolderThatOthersMayWriteIsNotUsed) {
  EXPECT_TRUE(record("a").keep(outcome_, {}));
  ASSERT_EQ(0, ::chmod((folder_ / "cache/trials").c_str(), 0777));
  EXPECT_EQ("", own_cache_folder("trials"));
  EXPECT_FALSE(record("a").outcome());
  EXPECT_FALSE(record("a").keep(outcome_, {}));
}

TEST_F(TrialRecordsTest, TheKeyNamesWhatDecidesTheTrial) {
  const std::string first = key();
  EXPECT_EQ(first, key());
  EXPECT_NE(first, key("another driver"));
  ::setenv("THING_MODE", "1", 1);
  EXPECT_NE(first, key());
  ::unsetenv("THING_MODE");
  ::setenv("OTHER_MODE", "1", 1);
  EXPECT_EQ(first, key());
  ::unsetenv("OTHER_MODE");
  ::setenv("HALFMARK_FAULT", "thing", 1);
  EXPECT_NE(first, key());
  ::unsetenv("HALFMARK_FAULT");
  EXPECT_EQ(first, key());
}

// The key covers which file a name refers to, and that file's identity, wherever the search
// finds it.
TEST_F(TrialRecordsTest, TheKeyKnowsTheFiles) {
  const std::string nowhere = key();
  ::setenv("LD_LIBRARY_PATH", ("/absent:" + folder_.string()).c_str(), 1);
  const std::string by_loader = key();
  EXPECT_NE(nowhere, by_loader);
  change_library();
  EXPECT_NE(by_loader, key());
  ::setenv(kVariable, library_.c_str(), 1);
  const std::string by_path = key();
  change_library();
  EXPECT_NE(by_path, key());
}

TEST(LoadedFiles, AreThoseOfThisProcess) {
  const std::vector<std::string> files = loaded_files();
  const auto is_libc = [](const std::string& file) {
    return file.find("/libc.so") != file.npos && !file_identity(file).empty();
  };
  EXPECT_EQ(1, std::count_if(files.begin(), files.end(), is_libc));
}

}  // namespace
}  // namespace halfmark::backends::shim
