// SPDX-License-Identifier: Apache-2.0
// The words of a program that makes one call of a library through its interface, or launches the
// kernel that implements the library's operator. Knows nothing about vendors: their words belong to
// the backend (backends/reproducers.hpp).
#pragma once

#include "backends/device_info.hpp"
#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram if the frame has no form of the call, or if the case is more than one call.
[[nodiscard]] backends::Words call_words(const backends::ReproducerFrame& frame,
                                         const Remnant& left);

/// Replaces the call by the launch of the frame's kernel. Throws NoProgram if there is no such
/// kernel, or if its launch takes more than buffers and whole numbers.
void make_kernel(const backends::ReproducerFrame& frame, Remnant& left,
                 const backends::DeviceInfo& device);

}  // namespace halfmark::tools
