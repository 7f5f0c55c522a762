// SPDX-License-Identifier: Apache-2.0
//
// The device's compute units: a fixed number of threads that all run one task at a time. Decides
// nothing about how the task divides its work.
//
// Assumptions:
//  1. A task lets no exception out.
//  2. run() is called by one thread at a time; that thread is worker 0.
//  3. Threads start at the first task that wants them, so a process that only looks at the device
//  stays single.
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
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace halfmark::backends::host
