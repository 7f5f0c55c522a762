// SPDX-License-Identifier: Apache-2.0
// The words of a program that makes one call of a library, as the interface takes it. Decides
// nothing about vendors: their words are the backend's (backends/reproducers.hpp).
#pragma once

#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Throws NoProgram where the frame is of another library, or has no form of the call, or where the
/// case is more than one call.
[[nodiscard]] backends::Words call_words(const backends::ReproducerFrame& frame,
                                         const Remnant& left);

}  // namespace halfmark::tools
