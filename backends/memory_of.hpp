// SPDX-License-Identifier: Apache-2.0
//
// Asks a backend's table for a device's memory. Decides what can be believed: numbers that
// contradict each other are not known, and the answer quotes them.
#pragma once

#include "backends/abi.h"
#include "backends/memory_answer.hpp"

namespace halfmark::backends {

// Throws BackendError only when the device is lost.
[[nodiscard]] MemoryAnswer memory_of(const HmBackendApi& api, HmDevice* device);

}  // namespace halfmark::backends
