// SPDX-License-Identifier: Apache-2.0
// Names of GoogleTest tests: one for each case and device, `<case>@<device>`, unique and the same
// in every run. A GoogleTest filter reads ':' as "or" and '-' as "but not", so neither may appear
// in a name: both become '_'. `gemm.fp16.acc-fp32...s1` on `opencl:0` is
// `gemm.fp16.acc_fp32...s1@opencl_0`; the value parameter of the test is the unchanged name of
// the case.
#pragma once

#include <string>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::tools {

/// The part after the suite and its dot, which GoogleTest puts in front.
[[nodiscard]] std::string test_name(const suites::Case& c, const backends::DeviceInfo& device);

/// The human-readable selector of a device if it has one.
[[nodiscard]] const std::string& readable_selector(const backends::DeviceInfo& device);

/// The command line that runs the case again.
[[nodiscard]] std::string replay_line(const suites::Case& c, const backends::DeviceInfo& device);

}  // namespace halfmark::tools
