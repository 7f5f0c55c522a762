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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/driver.hpp"
#include "backends/opencl/api.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] std::unique_ptr<DriverDevice> open_device(const FoundDevice& found,
                                                        const DeviceInfo& info);

// What the error of a launch adds to its code: the kernel, and both numbers where the driver's
// limit for that kernel is below the items of a group. A limit of 0 is unknown.
[[nodiscard]] std::string refused_launch(cl_int code, const std::string& entry, std::uint64_t items,
                                         std::size_t most_items);

}  // namespace halfmark::backends::opencl
