// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/clock.hpp"

#include <fmt/format.h>

#include "backends/opencl/api.hpp"

namespace halfmark::backends::opencl {

Reading counter_between(cl_event first, cl_profiling_info begin, cl_event last) {
  Reading reading{.call = "clGetEventProfilingInfo"};
  const auto ask = [&](cl_event event, cl_profiling_info point, cl_ulong& answer) {
    if (reading.code != CL_SUCCESS) return;
    reading.code = calls().clGetEventProfilingInfo(event, point, sizeof answer, &answer, nullptr);
  };
  ask(first, begin, reading.begin);
  ask(last, CL_PROFILING_COMMAND_END, reading.end);
  return reading;
}

// Without a timer the answers may still be numbers: rusticl 22.3 reports a resolution of 0 and 1 ns
// for every kernel.
DeviceClock::DeviceClock(bool has_timer) {
  if (!has_timer) use_host("CL_DEVICE_PROFILING_TIMER_RESOLUTION is 0, there is no timer");
}

std::uint64_t DeviceClock::elapsed_ns(const Reading& reading, std::uint64_t host_ns) {
  if (uses_events_ && reading.code != CL_SUCCESS) {
    use_host(fmt::format("{} failed with {}", reading.call, error_name(reading.code)));
  } else if (uses_events_ && reading.end < reading.begin) {
    use_host(fmt::format("an event ended at {} ns, before it began at {} ns", reading.end,
                         reading.begin));
  }
  last_ = uses_events_ ? reading : Reading{};
  return uses_events_ ? reading.end - reading.begin : host_ns;
}

void DeviceClock::use_host(const std::string& reason) {
  uses_events_ = false;
  words_ = "host: " + reason;
}

}  // namespace halfmark::backends::opencl
