// SPDX-License-Identifier: Apache-2.0
//
// What an OpenCL device says about itself, as a DeviceInfo: every capability with the driver's
// answer and the clause of the specification that gives it its meaning. Checks nothing: a driver
// that lies is caught by the suites.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] std::string platform_text(cl_platform_id platform,
                                        cl_platform_info key);  // "" when refused
[[nodiscard]] bool has_extension(cl_device_id device, const std::string& name);
[[nodiscard]] bool has_timer(cl_device_id device);  // else the times of events mean nothing
[[nodiscard]] DeviceInfo describe(const FoundDevice& found);

// Gives each device the shortest word that names it and no other: "opencl:pocl".
void choose_aliases(std::vector<DeviceInfo>& devices);

}  // namespace halfmark::backends::opencl
