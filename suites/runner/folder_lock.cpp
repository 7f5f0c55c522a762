// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

constexpr const char* kName = "run.lock";

// Empty if the holder could not write its process id, or has not done so yet.
std::string holder_in(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  const std::string_view number(text.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  const auto digits = number.find_first_not_of("0123456789");
  const std::string_view process = number.substr(0, digits);
  return process.empty() ? std::string() : fmt::format("process {}", process);
}

// A holder writes its process id just after it takes the lock.
std::string wait_for_holder(int fd) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  for (int tries = 0; tries < 50; ++tries) {
    const std::string holder = holder_in(fd);
    if (!holder.empty()) return holder;
    std::this_thread::sleep_for(kPause);
  }
  return "another process";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const auto file = folder / kName;
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  if (fd_ < 0) {
    throw EnvironmentError(fmt::format("cannot write {}: {}; choose another folder with --out",
                                       file.string(), std::strerror(errno)));
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) {
    // On a full disk, only the process id is missing.
    const std::string process = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd_, 0) == 0) static_cast<void>(!::write(fd_, process.data(), process.size()));
    return;
  }
  const int error = errno;
  const std::string holder = wait_for_holder(fd_);
  ::close(fd_);
  if (error == EWOULDBLOCK) {
    throw EnvironmentError(
        fmt::format("{} is in use by {}; wait until it ends, or choose another folder with --out",
                    folder.string(), holder));
  }
  throw EnvironmentError(fmt::format("cannot lock {}: {}; choose another folder with --out",
                                     folder.string(), std::strerror(error)));
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace halfmark::suites
