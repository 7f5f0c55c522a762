// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

std::filesystem::path folder(const char* name) {
  auto place = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::create_directories(place);
  return place;
}

std::string refusal(const std::filesystem::path& place) {
  try {
    const FolderLock lock(place);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "locked";
}

// The locks belong to open file descriptions, so one process can act as two.
TEST(FolderLock, KeepsASecondRunOutAndNamesTheFirst) {
  const auto place = folder("lock-second");
  std::optional<FolderLock> first(place);
  EXPECT_EQ(fmt::format("{} is in use by process {}; wait until it ends, or choose another folder "
                        "with --out",
                        place.string(), ::getpid()),
            refusal(place));
  first.reset();
  EXPECT_EQ("locked", refusal(place));
}

TEST(FolderLock, EndsWithAProcessThatIsKilled) {
  const auto place = folder("lock-killed");
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(place);
    ::kill(::getpid(), SIGKILL);
  }
  ASSERT_LT(0, child);
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  EXPECT_EQ("locked", refusal(place));
}

TEST(FolderLock, NamesAPlaceThatCannotBeLocked) {
  EXPECT_NE(std::string::npos, refusal("/nonexistent/folder").find("cannot write /nonexistent"));
}

// A holder writes its process id shortly after it takes the lock.
TEST(FolderLock, WaitsForTheNameOfAHolder) {
  const auto place = folder("lock-late");
  const int fd = ::open((place / "run.lock").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  ASSERT_EQ(0, ::flock(fd, LOCK_EX | LOCK_NB));
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(3, ::write(fd, "77\n", 3));
  });
  EXPECT_NE(std::string::npos, refusal(place).find("in use by process 77;"));
  late.join();
  ::close(fd);
}

// Foreign text in the file is not a process id.
TEST(FolderLock, RepeatsNothingThatIsNoNumber) {
  const auto place = folder("lock-foreign");
  const FolderLock lock(place);
  std::ofstream(place / "run.lock") << "\x1b[2J";
  EXPECT_NE(std::string::npos, refusal(place).find("in use by another process"));
}

}  // namespace
}  // namespace halfmark::suites
