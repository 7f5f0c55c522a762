// SPDX-License-Identifier: Apache-2.0
#include "reports/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace halfmark::reports {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "halfmark-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }

  std::filesystem::path folder_;
};

TEST_F(Files, WrittenIsRead) {
  const std::string content("a\0b\n\xFF", 5);
  write_file_atomically(folder_ / "new" / "deep" / "card.json", content);
  EXPECT_EQ(read_file(folder_ / "new" / "deep" / "card.json"), content);
}

TEST_F(Files, ReplacesAndLeavesNothingBeside) {
  write_file_atomically(folder_ / "card.json", "old");
  write_file_atomically(folder_ / "card.json", std::string(200000, 'x'));
  EXPECT_EQ(read_file(folder_ / "card.json").size(), 200000u);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, LinksLeadToWhatIsReplaced) {
  write_file_atomically(folder_ / "card.json", "old");
  std::filesystem::create_symlink("card.json", folder_ / "latest.json");
  write_file_atomically(folder_ / "latest.json", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "latest.json"));
  EXPECT_EQ("new", read_file(folder_ / "card.json"));
  EXPECT_EQ(2, entries());
}

TEST_F(Files, PipesStayPipes) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(0, ::mkfifo(pipe.c_str(), 0600));
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(pipe, "content");
  char got[16] = {};
  EXPECT_EQ(7, ::read(reader, got, sizeof got));
  ::close(reader);
  EXPECT_STREQ("content", got);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

// A file size limit stands in for a full disk: both make write() fail halfway.
int write_with_a_limit(const std::filesystem::path& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 3;
  try {
    write_file_atomically(path, std::string(1 << 20, 'x'));
  } catch (const FileError& error) {
    const bool clear =
        std::string(error.what()).find("the file is as it was") != std::string::npos &&
        std::string(error.what()).find(path.string()) != std::string::npos;
    return clear ? 0 : 2;
  }
  return 1;
}

TEST_F(Files, FullDiskLeavesTheOldFileAndNoDebris) {
  write_file_atomically(folder_ / "card.json", "old");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_with_a_limit(folder_ / "card.json"));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder_ / "card.json"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, ErrorsNameTheFileAndTheReason) {
  try {
    static_cast<void>(read_file(folder_ / "absent"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.what(),
              "cannot read " + (folder_ / "absent").string() + ": No such file or directory");
  }
  write_file_atomically(folder_ / "file", "");
  EXPECT_THROW(write_file_atomically(folder_ / "file" / "card.json", "x"), FileError);
  EXPECT_THROW(static_cast<void>(read_file(folder_)), FileError);
  std::filesystem::create_directory(folder_ / "taken");
  EXPECT_THROW(write_file_atomically(folder_ / "taken", "x"), FileError);
  EXPECT_EQ(entries(), 2);
}

}  // namespace
}  // namespace halfmark::reports
