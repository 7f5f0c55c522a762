// SPDX-License-Identifier: Apache-2.0
//
// An opened OpenCL device: one context, one in-order queue with profiling. Decides how kernels are
// built and timed.
//
// Assumptions:
//  1. Every call waits for its work, so nothing of one case can run into the next.
//  2. Definitions become #define lines, not -D options: drivers differ in how they cut an option
//  text into words.
#pragma once

#include <memory>

#include "backends/driver.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] std::unique_ptr<DriverDevice> open_device(const FoundDevice& found,
                                                        const DeviceInfo& info);

}  // namespace halfmark::backends::opencl
