// SPDX-License-Identifier: Apache-2.0
//
// Two sessions of a device work at the same time, each on a queue of its own. The devices' own
// clocks say so, not the time that it took: OpenCL's profiled events, and the log of stand-ins,
// which let the default queue wait for all others.
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "backends/testing/test_devices.hpp"

namespace halfmark::backends {
namespace {

constexpr int kLaunches = 3, kAttempts = 5;
constexpr std::uint64_t kLongEnoughNs = 100'000'000;
constexpr const char* kText =
    "HM_KERNEL busy(HM_GLOBAL float* x, int rounds) {\n"
    "  float y = x[0];\n"
    "  for (int i = 0; i < rounds; ++i) y = y * 0.5f + 1.0f;\n"
    "  x[0] = y;\n"
    "}\n";
constexpr Grid kOneItem{.groups = {1, 1, 1}, .items = {1, 1, 1}};

struct Work {
  std::int64_t begin = 0, end = 0;
};
using Works = std::vector<Work>;

// One item that is busy for a while, again and again.
class BusySession {
 public:
  explicit BusySession(Device device)
      : device_(std::move(device)),
        program_(device_.build(kText, {})),
        buffer_(device_.allocate(4)) {
    const float zero = 0;
    buffer_.write(0, std::as_bytes(std::span(&zero, 1)));
  }
  std::uint64_t launch(int rounds) {
    const std::vector<Argument> arguments{&buffer_, rounds};
    return program_.launch("busy", kOneItem, arguments);
  }
  [[nodiscard]] int rounds_that_last() {
    int rounds = 1 << 16;
    while (launch(rounds) < kLongEnoughNs && rounds < (1 << 29)) rounds *= 2;
    return rounds;
  }
  // When the device says that it worked; empty when it does not say.
  Works busy(int rounds) {
    Works works;
    for (int i = 0; i < kLaunches; ++i) {
      launch(rounds);
      if (device_.info().kind == "stand-in") continue;
      const auto extra = device_.describe_now().extra;
      if (!extra.contains("last_work_ns")) return {};
      works.push_back({extra["last_work_ns"][0], extra["last_work_ns"][1]});
    }
    return works;
  }

 private:
  Device device_;
  Program program_;
  Buffer buffer_;
};

bool overlap(const Works& some, const Works& others) {
  return std::ranges::any_of(some, [&](const Work& one) {
    return std::ranges::any_of(others, [&](const Work& other) {
      return std::max(one.begin, other.begin) < std::min(one.end, other.end);
    });
  });
}

class Queues : public DeviceTest {
 protected:
  Queues()
      : log_(std::filesystem::temp_directory_path() /
             ("halfmark-log-" + std::to_string(getpid()))) {
    std::filesystem::remove(log_);
    ::setenv("HALFMARK_STAND_IN_LOG", log_.c_str(), 1);
  }
  ~Queues() override {
    ::unsetenv("HALFMARK_STAND_IN_LOG");
    std::filesystem::remove(log_);
  }
  [[nodiscard]] std::map<std::string, Works> logged() const {
    std::map<std::string, Works> by_stream;
    std::ifstream log(log_);
    std::string word, stream;
    for (Work work; log >> word >> stream >> work.begin >> work.end;)
      by_stream[stream].push_back(work);
    return by_stream;
  }
  std::filesystem::path log_;
};

TEST_P(Queues, WorkAtTheSameTime) {
  if (is_slow()) GTEST_SKIP() << "a simulator works on one thing at a time";
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "one processor does one thing at a time";
  const bool is_stand_in = device.info().kind == "stand-in";
  BusySession first(device.open_again());
  BusySession second(device.open_again());
  const int rounds = first.rounds_that_last();
  if (!is_stand_in && first.busy(1).empty())
    GTEST_SKIP() << "the device does not say when it worked";
  std::filesystem::remove(log_);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::barrier together(2);
    Works of_second;
    std::jthread beside([&] {
      together.arrive_and_wait();
      of_second = second.busy(rounds);
    });
    together.arrive_and_wait();
    const Works of_first = first.busy(rounds);
    beside.join();
    if (!is_stand_in && overlap(of_first, of_second)) return;
    if (!is_stand_in) continue;
    const auto works = logged();
    ASSERT_EQ(2U, works.size()) << "the two sessions share a queue";
    if (overlap(works.begin()->second, works.rbegin()->second)) return;
  }
  ADD_FAILURE() << "no two launches overlapped in " << kAttempts << " attempts";
}

INSTANTIATE_TEST_SUITE_P(Devices, Queues, testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace halfmark::backends
