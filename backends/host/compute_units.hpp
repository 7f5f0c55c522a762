// SPDX-License-Identifier: Apache-2.0
//
// Runs a launch: its groups over the threads of the device. Decides who takes which group, the
// floating-point state they all run in, and which of several failures is told.
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
  // Returns the time from the first group's start to the last one's end, in nanoseconds. Throws
  // BackendError.
  std::uint64_t run(const Launch& launch, FloatControl control);

 private:
  std::vector<std::unique_ptr<WorkGroup>> work_groups_;  // one per thread
  ThreadPool pool_;                                      // last: its threads use the above
};

inline constexpr unsigned kMostThreads = 1024;

// HALFMARK_HOST_THREADS, else what the machine has. Throws EnvironmentFault.
[[nodiscard]] unsigned default_thread_count();

}  // namespace halfmark::backends::host
