// SPDX-License-Identifier: Apache-2.0
// The words of a program that launches kernels as the plan of a case does: their text, cut down and
// in the device's own language, and the launches. Decides what of a kernel's text is sent, not the
// frame around it, which is the backend's (backends/reproducers.hpp).
#pragma once

#include "backends/device_info.hpp"
#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram where the interface has no words for the launches.
[[nodiscard]] backends::Words launch_words(const backends::ReproducerFrame& frame,
                                           const Remnant& left, const backends::DeviceInfo& device);

}  // namespace halfmark::tools
