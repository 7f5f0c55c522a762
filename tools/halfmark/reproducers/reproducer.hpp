// SPDX-License-Identifier: Apache-2.0
// Writes a finding as one source file that needs nothing of Halfmark: the reduced case, its
// kernel in the device's own language or the call of its library, and the expected and
// actual results. Decides how a finding is demonstrated; the frame around it belongs to the
// backend (backends/reproducers.hpp).
#pragma once

#include <string>

#include "backends/device_info.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::tools {

struct Reproducer {
  std::string text;        // empty: there is no program
  std::string reason;      // why there is none
  bool is_defect = false;  // in Halfmark: the case has a program, but writing it failed
};

/// Never throws: a program that cannot be written must not affect anything else.
[[nodiscard]] Reproducer write_reproducer(const suites::CaseResult& finding,
                                          const backends::DeviceInfo& device);

}  // namespace halfmark::tools
