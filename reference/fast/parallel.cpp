// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace halfmark::fast {
namespace {

struct Work {
  std::size_t count;
  Direction direction;
  const std::function<void(std::size_t)>& body;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex = {};
  std::exception_ptr failure = {};
};

void help(Work& work) {
  const FloatingPointScope scope(work.direction);
  try {
    require_sound_arithmetic(work.direction);
    for (std::size_t part = work.next++; part < work.count; part = work.next++) work.body(part);
  } catch (...) {
    const std::scoped_lock lock(work.mutex);
    if (!work.failure) work.failure = std::current_exception();
    work.next = work.count;
  }
}

}  // namespace

void for_each_part(std::size_t count, unsigned threads, Direction direction,
                   const std::function<void(std::size_t)>& body) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  Work work{count, direction, body};
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t) {
      others.emplace_back([&work] { help(work); });
    }
    help(work);
  }
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace halfmark::fast
