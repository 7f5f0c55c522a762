// SPDX-License-Identifier: Apache-2.0
// Names of GoogleTest tests: one for each case and device, `<case>@<device>`, unique and the same
// in every run. A filter of GoogleTest reads ':' as "or" and '-' as "but not", so neither may stand
// in a name: both become '_'. `gemm.fp16.acc-fp32...s1` on `opencl:0` is
// `gemm.fp16.acc_fp32...s1@opencl_0`; the case as Halfmark writes it is the test's value parameter.
#pragma once

#include <string>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::tools {

/// What follows the suite and its dot; GoogleTest puts those before it.
[[nodiscard]] std::string test_name(const suites::Case& c, const backends::DeviceInfo& device);

/// The readable selector of a device where it has one.
[[nodiscard]] const std::string& readable_selector(const backends::DeviceInfo& device);

/// The line that runs the case again.
[[nodiscard]] std::string replay_line(const suites::Case& c, const backends::DeviceInfo& device);

}  // namespace halfmark::tools
