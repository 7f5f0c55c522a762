// SPDX-License-Identifier: Apache-2.0
//
// Covers everything that may have happened to a file since it was stored.
#include "backends/cache_entry.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace halfmark::backends {
namespace {

namespace fs = std::filesystem;

class CacheEntryTest : public testing::Test {
 protected:
  CacheEntryTest() {
    std::string name = (fs::temp_directory_path() / "halfmark-entry-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
    file_ = folder_ / "entry";
  }
  ~CacheEntryTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string bytes() const {
    std::ifstream stream(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  void expect_refused_and_replaced() const {
    EXPECT_EQ(std::nullopt, read_entry(file_, "key"));
    EXPECT_TRUE(keep_entry(file_, "key", content_));
    EXPECT_EQ(content_, read_entry(file_, "key"));
    EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_, file_;
  const std::string content_ = std::string("what was kept\0and more", 22);
};

TEST_F(CacheEntryTest, ComesBackUnderItsKeyAlone) {
  EXPECT_EQ(std::nullopt, read_entry(file_, "key"));
  EXPECT_TRUE(keep_entry(file_, "key", content_));
  EXPECT_EQ(content_, read_entry(file_, "key"));
  EXPECT_EQ(std::nullopt, read_entry(file_, "other key"));
  EXPECT_TRUE(keep_entry(file_, "key", ""));
  EXPECT_EQ("", read_entry(file_, "key"));
}

TEST_F(CacheEntryTest, EveryFlippedBitAndEveryLengthShow) {
  ASSERT_TRUE(keep_entry(file_, "key", content_));
  const std::string kept = bytes();
  for (std::size_t bit = 0; bit < 8 * kept.size(); ++bit) {
    std::string flipped = kept;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    write(flipped);
    ASSERT_EQ(std::nullopt, read_entry(file_, "key")) << bit;
  }
  for (std::size_t length = 0; length < kept.size(); ++length) {
    write(kept.substr(0, length));
    ASSERT_EQ(std::nullopt, read_entry(file_, "key")) << length;
  }
  write(kept + '\0');
  expect_refused_and_replaced();
}

TEST_F(CacheEntryTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(0, ::mkfifo(file_.c_str(), 0600));
  ::alarm(10);
  expect_refused_and_replaced();
  ::alarm(0);
}

TEST_F(CacheEntryTest, AFolderIsNoEntry) {
  fs::create_directory(file_);
  expect_refused_and_replaced();
}

TEST_F(CacheEntryTest, ALinkIsNoEntry) {
  const fs::path target = folder_ / "target";
  ASSERT_TRUE(keep_entry(target, "key", content_));
  fs::create_symlink(target, file_);
  EXPECT_EQ(std::nullopt, read_entry(file_, "key"));
  EXPECT_TRUE(keep_entry(file_, "key", "another"));
  EXPECT_EQ("another", read_entry(file_, "key"));
  EXPECT_EQ(content_, read_entry(target, "key"));
}

TEST_F(CacheEntryTest, WhatOthersMayWriteIsNoEntry) {
  for (const mode_t mode : {0620U, 0602U}) {
    ASSERT_TRUE(keep_entry(file_, "key", content_));
    ASSERT_EQ(0, ::chmod(file_.c_str(), mode));
    expect_refused_and_replaced();
  }
}

TEST_F(CacheEntryTest, WhatOthersOwnIsNoEntry) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file away";
  ASSERT_TRUE(keep_entry(file_, "key", content_));
  ASSERT_EQ(0, ::chown(file_.c_str(), 65534, 65534));
  expect_refused_and_replaced();
}

TEST_F(CacheEntryTest, WhatCannotBeKeptLeavesNothing) {
  EXPECT_FALSE(keep_entry(folder_ / "absent" / "entry", "key", content_));
  fs::create_directories(file_ / "not empty");
  EXPECT_FALSE(keep_entry(file_, "key", content_));
  EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), {}));
}

TEST(ContentKey, SeesEveryPartAndTheBorderBetweenThem) {
  const auto key = [](std::vector<std::string> parts) { return content_key(parts); };
  EXPECT_EQ(key({"a", "b"}), key({"a", "b"}));
  EXPECT_NE(key({"a", "b"}), key({"ab", ""}));
  EXPECT_NE(key({"a", "b"}), key({"b", "a"}));
  EXPECT_EQ(key({"a"}).size(), 32u);
}

}  // namespace
}  // namespace halfmark::backends
