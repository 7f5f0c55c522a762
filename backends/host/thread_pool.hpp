// SPDX-License-Identifier: Apache-2.0
//
// The device's compute units: a fixed number of threads that run one task together. Decides nothing
// about how the task divides its work.
//
// Assumptions:
//  1. A task lets no exception escape.
//  2. One thread at a time calls run(); that thread is worker 0.
//  3. Threads start with the first task that needs them, so a process that only inspects the device
//  stays single-threaded.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace halfmark::backends::host {

class ThreadPool {
 public:
  using Task = std::function<void(unsigned worker)>;

  explicit ThreadPool(unsigned workers) : workers_(workers) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  [[nodiscard]] unsigned workers() const { return workers_; }

  // Calls task(0) .. task(count - 1), each on its own thread, and returns when all have returned.
  void run(unsigned count, const Task& task);

 private:
  void serve(unsigned worker);
  void start_threads();

  unsigned workers_;
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable work_done_;
  const Task* task_ = nullptr;
  unsigned task_workers_ = 0;
  unsigned unfinished_ = 0;
  unsigned long generation_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: they use all members above
};

}  // namespace halfmark::backends::host
