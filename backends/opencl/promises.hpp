// SPDX-License-Identifier: Apache-2.0
//
// What an OpenCL driver promises: every capability with the driver's own answer as evidence and the
// clause of the specification that defines its meaning. Asks no driver: the answers are values.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::backends::opencl {

// One CL_DEVICE_*_FP_CONFIG; a driver may refuse to answer, which is also evidence.
struct FloatConfig {
  std::string answer;
  cl_device_fp_config bits = 0;
};

// A driver's answers on which its promises rest.
struct Answers {
  std::string version, profile, extensions;
  FloatConfig single = {}, half = {};
};

// Whether the name is one of these, which are separated by spaces.
[[nodiscard]] bool is_listed(std::string_view extensions, std::string_view name);

[[nodiscard]] std::vector<Promise> promises_of(const Answers& answers);

}  // namespace halfmark::backends::opencl
