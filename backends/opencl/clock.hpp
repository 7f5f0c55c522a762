// SPDX-License-Identifier: Apache-2.0
//
// The clock that times launches and library calls of an OpenCL device: its profiling events, or the
// host's clock. Decides between the two and declares its choice in `extra.clock` of the
// description. Callers wait for events before reading them.
//
// Assumptions:
//  1. A marker without a wait list completes when every command before it in the queue has
//  completed (OpenCL 1.2, 5.10), and queues here are in order. So the ends of two markers enclose
//  everything that a library enqueues between them, however many kernels that is.
//  2. Markers are profiled like other commands, by the device's only counter, in nanoseconds
//  (5.12); only user events are not.
//  3. A device whose events failed once may fail again. It keeps the host's clock from then on, so
//  that its last declaration also holds for the earlier times.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

namespace halfmark::backends::opencl {

// The value of the device's counter, or the call that failed to read it.
struct Reading {
  const char* call = "";
  cl_int code = CL_SUCCESS;
  cl_ulong begin = 0;
  cl_ulong end = 0;
};

// From the given profiling point of the first event to the end of the last.
[[nodiscard]] Reading counter_between(cl_event first, cl_profiling_info begin, cl_event last);

class DeviceClock {
 public:
  explicit DeviceClock(bool has_timer);
  [[nodiscard]] bool uses_events() const { return uses_events_; }
  // "events", or "host: " and the reason.
  [[nodiscard]] const std::string& words() const { return words_; }
  // The time by the device's counter, or the host's waiting time when the counter cannot be used.
  [[nodiscard]] std::uint64_t elapsed_ns(const Reading& reading, std::uint64_t host_ns);
  // By the device's counter, of the last work; both 0 when it cannot be used.
  [[nodiscard]] const Reading& last() const { return last_; }

 private:
  void use_host(const std::string& reason);

  bool uses_events_ = true;
  std::string words_ = "events";
  Reading last_;
};

}  // namespace halfmark::backends::opencl
