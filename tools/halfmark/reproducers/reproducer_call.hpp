// SPDX-License-Identifier: Apache-2.0
// The words of a program that makes one call of a library, as the interface takes it; or what a
// library's operator is where it is a kernel. Decides nothing about vendors: their words are the
// backend's (backends/reproducers.hpp).
#pragma once

#include "backends/device_info.hpp"
#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram where the frame has no form of the call, or where the case is more than one.
[[nodiscard]] backends::Words call_words(const backends::ReproducerFrame& frame,
                                         const Remnant& left);

/// Puts the launch of the frame's kernel in the place of the call. Throws NoProgram.
void make_kernel(const backends::ReproducerFrame& frame, Remnant& left,
                 const backends::DeviceInfo& device);

}  // namespace halfmark::tools
