// SPDX-License-Identifier: Apache-2.0
// A finding as one source file that needs nothing of Halfmark: the kernel text cut down to what the
// minimal operands pass through, in the device's own language, with expected and got. Decides what
// is cut; the frame around it is the backend's (backends/reproducers.hpp).
#pragma once

#include <string>

#include "backends/device_info.hpp"
#include "suites/core/result.hpp"

namespace halfmark::tools {

/// Empty where none can be written: the backend has no frame, or the operator has no cut-down form
/// (elementary operations and matrix products have one) or was not made small.
[[nodiscard]] std::string write_reproducer(const suites::CaseResult& finding,
                                           const backends::DeviceInfo& device);

}  // namespace halfmark::tools
