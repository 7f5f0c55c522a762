// SPDX-License-Identifier: Apache-2.0
#include "reference/files/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace halfmark::files {
namespace {

using namespace std::chrono_literals;

std::string read_all(int descriptor) {
  std::string text;
  char chunk[4096];
  for (ssize_t got = 0; (got = ::read(descriptor, chunk, sizeof chunk)) > 0;)
    text.append(chunk, static_cast<std::size_t>(got));
  return text;
}

// Without SA_RESTART, so that a signal ends a call to write().
void interrupt_calls_on(int signal) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(0, ::sigaction(signal, &action, nullptr));
}

// No two parts of it are alike, so one that is lost or repeated shows.
std::string more_than_a_pipe_holds() {
  std::string text;
  while (text.size() < std::size_t{1} << 20) text += std::to_string(text.size());
  return text;
}

TEST(WriteAll, GoesOnAfterShortWritesAndSignals) {
  interrupt_calls_on(SIGUSR1);
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  Descriptor from(ends[0]), to(ends[1]);
  const std::string text = more_than_a_pipe_holds();
  std::atomic<bool> done = false;
  int error = -1;
  std::thread writer([&] {
    error = write_all(to.number(), text);
    EXPECT_TRUE(to.close());
    done = true;
    while (done) std::this_thread::sleep_for(1ms);  // a target for signals until they end
  });
  for (int i = 0; i < 50; ++i) {  // the pipe is full: the writer waits in write()
    ::pthread_kill(writer.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(1ms);
  }
  const std::string got = read_all(from.number());
  while (!done) std::this_thread::sleep_for(1ms);
  done = false;
  writer.join();
  EXPECT_EQ(0, error);
  EXPECT_TRUE(text == got);
}

TEST(WriteAll, TellsTheError) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(full.number(), 0);
  EXPECT_EQ(ENOSPC, write_all(full.number(), "text"));
  EXPECT_EQ(EBADF, write_all(-1, "text"));
  EXPECT_EQ(0, write_all(-1, "")) << "nothing to write";
}

TEST(WriteAll, TellsThatNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  ASSERT_EQ(0, ::close(ends[0]));
  const Descriptor to(ends[1]);
  EXPECT_EQ(EPIPE, write_all(to.number(), "text"));
}

TEST(Descriptor, IsClosedOnce) {
  int number = -1;
  {
    Descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = file.number();
    ASSERT_GE(::fcntl(number, F_GETFD), 0);
    EXPECT_TRUE(file.close());
    EXPECT_EQ(-1, ::fcntl(number, F_GETFD));
    EXPECT_FALSE(file.close());
  }
  {
    const Descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = file.number();
  }
  EXPECT_EQ(-1, ::fcntl(number, F_GETFD));
}

}  // namespace
}  // namespace halfmark::files
