// SPDX-License-Identifier: Apache-2.0
//
// Runs a launch: distributes its groups over the device's threads. Decides which thread takes which
// group, the floating-point state that they all run in, and which of several failures is reported.
//
// Assumption: one launch at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/host/float_state.hpp"
#include "backends/host/thread_pool.hpp"
#include "backends/host/work_group.hpp"

namespace halfmark::backends::host {

class ComputeUnits {
 public:
  explicit ComputeUnits(unsigned threads);

  [[nodiscard]] unsigned count() const { return pool_.workers(); }
  // Nanoseconds from the first group's start to the last group's end. Throws BackendError.
  std::uint64_t run(const Launch& launch, FloatControl control);

 private:
  std::vector<std::unique_ptr<WorkGroup>> work_groups_;  // one per thread
  ThreadPool pool_;                                      // last: its threads use the members above
};

inline constexpr unsigned kMostThreads = 1024;

// HALFMARK_HOST_THREADS, else the machine's number. Throws EnvironmentFault.
[[nodiscard]] unsigned default_thread_count();

}  // namespace halfmark::backends::host
