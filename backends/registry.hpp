// SPDX-License-Identifier: Apache-2.0
//
// The list of backends in this binary, written by CMake from the folders present and sorted by
// name. Plug-ins are not in it: plugin.hpp adds them while the program runs.
#pragma once

#include <span>

#include "backends/abi.h"

namespace halfmark::backends {

using ApiFunction = const HmBackendApi* (*)();

[[nodiscard]] std::span<const ApiFunction> built_in_backends();

}  // namespace halfmark::backends
