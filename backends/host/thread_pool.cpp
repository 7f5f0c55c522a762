// SPDX-License-Identifier: Apache-2.0
//
// Each task has a generation number: every thread serves every generation once, whether or not the
// task uses that thread.
#include "backends/host/thread_pool.hpp"

#include <algorithm>

namespace halfmark::backends::host {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_ready_.notify_all();
}

void ThreadPool::start_threads() {
  threads_.reserve(workers_ - 1);
  for (unsigned worker = 1; worker < workers_; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

void ThreadPool::run(unsigned count, const Task& task) {
  count = std::min(count, workers_);
  if (count <= 1) {
    task(0);
    return;
  }
  if (threads_.empty()) start_threads();
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    task_workers_ = count;
    unfinished_ = workers_ - 1;
    ++generation_;
  }
  work_ready_.notify_all();
  task(0);
  std::unique_lock lock(mutex_);
  work_done_.wait(lock, [this] { return unfinished_ == 0; });
  task_ = nullptr;
}

void ThreadPool::serve(unsigned worker) {
  unsigned long served = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    work_ready_.wait(lock, [&] { return stopping_ || generation_ != served; });
    if (stopping_) return;
    served = generation_;
    const Task& task = *task_;
    if (worker < task_workers_) {
      lock.unlock();
      task(worker);
      lock.lock();
    }
    if (--unfinished_ == 0) work_done_.notify_one();
  }
}

}  // namespace halfmark::backends::host
