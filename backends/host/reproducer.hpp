// SPDX-License-Identifier: Apache-2.0
//
// The template of stand-alone programs for devices that compile kernels as the
// software device does.
#pragma once

#include <string_view>

#include "backends/reproducers.hpp"

namespace halfmark::backends::host {

// `half` is the device's text for fp16 arithmetic; may be empty.
[[nodiscard]] ReproducerFrame kernel_frame(std::string_view half);

}  // namespace halfmark::backends::host
