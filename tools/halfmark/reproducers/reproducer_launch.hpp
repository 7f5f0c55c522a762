// SPDX-License-Identifier: Apache-2.0
// The words of a program that launches kernels as the plan of a case does: the launches, and the
// reduced kernel texts in the device's own language. Decides which part of a kernel text is kept;
// the frame around it belongs to the backend (backends/reproducers.hpp).
#pragma once

#include "backends/device_info.hpp"
#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram if the interface has no words for the launches.
[[nodiscard]] backends::Words launch_words(const backends::ReproducerFrame& frame,
                                           const Remnant& left, const backends::DeviceInfo& device);

}  // namespace halfmark::tools
