// SPDX-License-Identifier: Apache-2.0
#include "backends/host/compute_units.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>

#include "backends/host/shuffle.hpp"
#include "backends/host/variable.hpp"

namespace halfmark::backends::host {
namespace {

// The failure of the lowest group in the grid, among those that failed before the threads stopped.
class FirstFailure {
 public:
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }
  void record(std::uint64_t group, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (group < group_) {
      group_ = group;
      error_ = std::move(error);
    }
    any_.store(true, std::memory_order_relaxed);
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_ = false;
  std::uint64_t group_ = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr error_;
};

// The work of one thread: takes runs of groups until none is left.
class GroupQueue {
 public:
  GroupQueue(const Launch& launch, std::uint64_t groups, unsigned threads)
      : order_(launch.shuffle_seed ? GroupOrder(groups, *launch.shuffle_seed) : GroupOrder(groups)),
        groups_(groups),
        run_length_(std::clamp<std::uint64_t>(groups / (std::uint64_t{threads} * 16), 1, 64)) {}

  void serve(WorkGroup& work_group, FirstFailure& failure) {
    while (!failure.any()) {
      const std::uint64_t begin = next_.fetch_add(run_length_, std::memory_order_relaxed);
      if (begin >= groups_) return;
      const std::uint64_t end = std::min(begin + run_length_, groups_);
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t group = order_.at(i);
        try {
          work_group.run(group);
        } catch (...) {
          failure.record(group, std::current_exception());
          return;
        }
      }
    }
  }

 private:
  GroupOrder order_;
  std::uint64_t groups_;
  std::uint64_t run_length_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace

ComputeUnits::ComputeUnits(unsigned threads) : pool_(threads) {
  for (unsigned worker = 0; worker < threads; ++worker)
    work_groups_.push_back(std::make_unique<WorkGroup>());
}

std::uint64_t ComputeUnits::run(const Launch& launch, FloatControl control) {
  const auto& n = launch.grid.groups;
  const std::uint64_t groups = std::uint64_t{n[0]} * n[1] * n[2];
  const unsigned threads = static_cast<unsigned>(std::min<std::uint64_t>(groups, count()));
  GroupQueue queue(launch, groups, threads);
  FirstFailure failure;
  const auto begin = std::chrono::steady_clock::now();
  pool_.run(threads, [&](unsigned worker) {
    try {
      work_groups_[worker]->prepare(launch);
    } catch (...) {
      failure.record(0, std::current_exception());
      return;
    }
    const FloatStateScope state(control);
    queue.serve(*work_groups_[worker], failure);
  });
  const auto end = std::chrono::steady_clock::now();
  failure.rethrow();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
}

unsigned default_thread_count() {
  if (const auto wanted = number_in("HALFMARK_HOST_THREADS", 1, kMostThreads))
    return static_cast<unsigned>(*wanted);
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace halfmark::backends::host
