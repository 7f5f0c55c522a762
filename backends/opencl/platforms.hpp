// SPDX-License-Identifier: Apache-2.0
//
// Finds the OpenCL devices of the machine. Decides their order, and therefore their numbers;
// describes none.
//
// Assumptions:
//  1. The loader's order of platforms is kept, so that the numbers match those of the vendor's
//  own tools.
//  2. A platform may have no device, or fail when queried; the status reports that, and no other
//  platform is hidden.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

namespace halfmark::backends::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  bool known_to_loader = true;  // false: the platform came directly from its driver library
};

struct Discovery {
  std::string status;  // "ok", or why there is no device
  std::vector<FoundDevice> devices;
  // What loaders and drivers said of those that do not work, beside devices that do: the file that
  // names a driver, the driver, and the reason.
  std::vector<std::string> faults = {};
};

// Throws BackendError only when the loader itself is missing.
[[nodiscard]] Discovery discover();

}  // namespace halfmark::backends::opencl
