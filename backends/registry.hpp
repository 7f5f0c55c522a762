// SPDX-License-Identifier: Apache-2.0
//
// The list of backends in this binary. CMake writes it from the folders present, sorted by name.
// Plug-ins are not in it: plugin.hpp adds them at run time.
#pragma once

#include <span>

#include "backends/abi.h"

namespace halfmark::backends {

using ApiFunction = const HmBackendApi* (*)();

[[nodiscard]] std::span<const ApiFunction> built_in_backends();

}  // namespace halfmark::backends
