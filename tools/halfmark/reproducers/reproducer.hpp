// SPDX-License-Identifier: Apache-2.0
// A finding as one source file that needs nothing of Halfmark: the case made small, with its kernel
// in the device's own language or its library's call, and expected and got. Decides what a finding
// is shown by; the frame around it is the backend's (backends/reproducers.hpp).
#pragma once

#include <string>

#include "backends/device_info.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::tools {

struct Reproducer {
  std::string text;        // empty: there is none
  std::string reason;      // then: why
  bool is_defect = false;  // of Halfmark: the case has a program, and writing it failed
};

/// Throws nothing: a program that cannot be written costs itself alone.
[[nodiscard]] Reproducer write_reproducer(const suites::CaseResult& finding,
                                          const backends::DeviceInfo& device);

}  // namespace halfmark::tools
