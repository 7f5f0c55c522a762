// SPDX-License-Identifier: Apache-2.0
//
// By which clock launches and library calls of an OpenCL device are timed: its profiling events, or
// the host's clock. Decides between the two and says which it is, as `extra.clock` of the
// description does. Whoever reads the events has waited for them.
//
// Assumptions:
//  1. A marker without a wait list completes when every command before it in the queue has (OpenCL
//  1.2, 5.10), and queues here are in order. So the ends of two markers enclose all that a library
//  enqueues between them, however many kernels that is.
//  2. Markers are profiled as other commands are, by the device's one counter in nanoseconds
//  (5.12); only user events are not.
//  3. A device whose events failed once may fail again. It keeps the host's clock from then on, so
//  that what it says last holds for the times that came before it, too.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

namespace halfmark::backends::opencl {

// What the device's counter said, or the call that did not get it to speak.
struct Reading {
  const char* call = "";
  cl_int code = CL_SUCCESS;
  cl_ulong begin = 0;
  cl_ulong end = 0;
};

// From a point of the first event to the end of the last.
[[nodiscard]] Reading counter_between(cl_event first, cl_profiling_info begin, cl_event last);

class DeviceClock {
 public:
  explicit DeviceClock(bool has_timer);
  [[nodiscard]] bool uses_events() const { return uses_events_; }
  // "events", or "host: " and why.
  [[nodiscard]] const std::string& words() const { return words_; }
  // By the device's counter, or what the host waited where that cannot be used.
  [[nodiscard]] std::uint64_t elapsed_ns(const Reading& reading, std::uint64_t host_ns);

 private:
  void use_host(const std::string& reason);

  bool uses_events_ = true;
  std::string words_ = "events";
};

}  // namespace halfmark::backends::opencl
