// SPDX-License-Identifier: Apache-2.0
//
// The description of an OpenCL device as a DeviceInfo: names, limits, promises (promises.hpp), and
// everything else that identifies it or explains a result. Checks nothing: the suites detect a
// driver's false claims.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/memory_answer.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] std::string platform_text(cl_platform_id platform,
                                        cl_platform_info key);  // "" when refused
[[nodiscard]] bool has_extension(cl_device_id device, const std::string& name);
[[nodiscard]] bool has_timer(cl_device_id device);  // without one, event times are meaningless

// Those environment variables that are set and choose a driver or change what it computes.
[[nodiscard]] nlohmann::json recorded_variables();

[[nodiscard]] DeviceInfo describe(const FoundDevice& found);

// By the runtime where it has the attribute, by the operating system for processors.
[[nodiscard]] MemoryAnswer memory_of(cl_device_id device);

// Gives each device the shortest word that uniquely names it: "opencl:pocl".
void choose_aliases(std::vector<DeviceInfo>& devices);

}  // namespace halfmark::backends::opencl
