// SPDX-License-Identifier: Apache-2.0
//
// An opened OpenCL device: one context, one in-order queue with profiling. Decides how kernels are
// built and timed.
//
// Assumptions:
//  1. Every call waits for its work, so work of one case never overlaps the next.
//  2. Definitions become #define lines, not -D options: drivers split an option text into words in
//  different ways.
#pragma once

#include <memory>

#include "backends/driver.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] std::unique_ptr<DriverDevice> open_device(const FoundDevice& found,
                                                        const DeviceInfo& info);

}  // namespace halfmark::backends::opencl
