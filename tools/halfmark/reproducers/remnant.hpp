// SPDX-License-Identifier: Apache-2.0
// What a program needs of a finding: one element of a kernel whose elements are independent, one
// chain of a matrix product, the wrong one of two related calls, the launches that make the wrong
// tensor, or the whole case. Decides which of these shows the failure.
#pragma once

#include "backends/device_info.hpp"
#include "suites/core/judge/result.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram if no program can show the finding.
[[nodiscard]] Remnant remnant_of(const suites::CaseResult& finding,
                                 const backends::DeviceInfo& device);

}  // namespace halfmark::tools
